"""Registers the environments with Gymnasium as soon as both packages are imported.

`gymnasium.make("jaxsweep:jaxsweep/Expert-v0")` imports `jaxsweep`, and then looks the id up. If
`jaxsweep` was imported before Gymnasium, that import does nothing any more; and `jaxsweep` must not
import Gymnasium, which takes longer than itself. So it leaves a note in `sys.meta_path`, where
Python asks how each module is imported, to register once Gymnasium is.
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAMED = ("beginner", "intermediate", "expert")
"""The levels with an id of their own; `jaxsweep/Custom-v0` has all others."""

_GYMNASIUM, _MODULE = "gymnasium", "jaxsweep.adapters.gymnasium"


def register_with_gymnasium() -> None:
    """Registers the environments now, if Gymnasium is imported, or else once it is."""
    if sys.modules.get(_GYMNASIUM) is not None:
        _register()
    elif not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())


class _AfterImport:
    """A finder that leaves it to others to find Gymnasium, and registers when it is loaded."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != _GYMNASIUM:
            return None
        others = (finder for finder in list(sys.meta_path) if finder is not self)
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                # One loader may load all modules of an archive.
                if module.__name__ == _GYMNASIUM and self in sys.meta_path:
                    sys.meta_path.remove(self)
                    _register()

            spec.loader.exec_module = load_and_register
        return spec


def _register() -> None:
    from gymnasium import register, registry

    from jaxsweep.rules.level import LEVELS

    levels = {"Custom": {}}
    for name in NAMED:
        level = LEVELS[name]
        levels[name.capitalize()] = {"rows": level.rows, "cols": level.cols, "mines": level.mines}
    for name, arguments in levels.items():
        identity = f"jaxsweep/{name}-v0"
        if identity not in registry:
            register(
                identity,
                entry_point=f"{_MODULE}:MinesweeperEnv",
                vector_entry_point=f"{_MODULE}:MinesweeperVectorEnv",
                kwargs=arguments,
            )
