"""jaxsweep: a vectorised probabilistic engine for Minesweeper.

What `__all__` lists is the public API; every other module is internal and may change. A position is
read with `read_position` and analysed with `infer`, which returns `Beliefs`: the mine probability
of every hidden cell, and whether it is exact; `posterior` is a module of functions that draw the
layouts of positions, and tell more about them. `ENGINES` and `STRATEGIES` have the inference
engines and the players by name; a player advises in one position, which `read_grid` reads.
`Environment` steps batches of games for learners, `FunctionalEnvironment` one game for learners and
planners, and `oracle` answers what can be known in a batch of games; `jaxsweep.adapters` has the
interfaces of Gymnasium, jumanji, pgx and gymnax. `record_game`, `save_replay` and `load_replay`
deal with recorded games, `formats` with files and links of other programs, `load_dataset` with data
sets of labelled positions.

The commands are `python -m jaxsweep` followed by analyze, play, view, replay, grade, arena,
dataset or bench.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from jaxsweep.adapters.registration import register_with_gymnasium

if TYPE_CHECKING:
    from jaxsweep import formats, posterior
    from jaxsweep.beliefs import Beliefs, Status
    from jaxsweep.datasets.positions import LabelledPositions
    from jaxsweep.datasets.reading import load_dataset
    from jaxsweep.engines import ENGINES
    from jaxsweep.engines.base import AbstractEngine
    from jaxsweep.environment import Environment, EnvState, random_cells
    from jaxsweep.exact_answers import oracle
    from jaxsweep.functional import FunctionalEnvironment, FunctionalState, Reward, Timestep
    from jaxsweep.inference import infer, infer_and_count, number_odds
    from jaxsweep.rules.clicks import Button, Click, ClickedGame
    from jaxsweep.rules.game import Game, chord, deal, flag, open_cells, status, view
    from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
    from jaxsweep.rules.notation import GridPosition, PositionError
    from jaxsweep.rules.notation import read as read_grid
    from jaxsweep.rules.position import Position
    from jaxsweep.rules.position import read as read_position
    from jaxsweep.rules.position import stack as stack_positions
    from jaxsweep.rules.reasons import Reason
    from jaxsweep.rules.status import GameStatus
    from jaxsweep.runtime.version import __version__
    from jaxsweep.scalar.advice import Advice, Candidate
    from jaxsweep.single.replay import RecordedMove, Replay, ReplayError
    from jaxsweep.single.replay import load as load_replay
    from jaxsweep.single.replay import record as record_game
    from jaxsweep.single.replay import save as save_replay
    from jaxsweep.strategies import (
        STRATEGIES,
        AbstractStrategy,
        AbstractTraceableStrategy,
        LeastRisk,
        Lookahead,
        Move,
    )

__all__ = [
    "ENGINES",
    "LEVELS",
    "STRATEGIES",
    "AbstractEngine",
    "AbstractStrategy",
    "AbstractTraceableStrategy",
    "Advice",
    "Beliefs",
    "Button",
    "Candidate",
    "Click",
    "ClickedGame",
    "EnvState",
    "Environment",
    "FunctionalEnvironment",
    "FunctionalState",
    "Game",
    "GameStatus",
    "GridPosition",
    "LabelledPositions",
    "LeastRisk",
    "Level",
    "LevelError",
    "Lookahead",
    "Move",
    "Opening",
    "Position",
    "PositionError",
    "Reason",
    "RecordedMove",
    "Replay",
    "ReplayError",
    "Reward",
    "Start",
    "Status",
    "Timestep",
    "__version__",
    "chord",
    "deal",
    "flag",
    "formats",
    "infer",
    "infer_and_count",
    "load_dataset",
    "load_replay",
    "number_odds",
    "open_cells",
    "oracle",
    "posterior",
    "random_cells",
    "read_grid",
    "read_position",
    "record_game",
    "save_replay",
    "stack_positions",
    "status",
    "view",
]

_MODULES = {
    "beliefs": ("Beliefs", "Status"),
    "datasets.positions": ("LabelledPositions",),
    "datasets.reading": ("load_dataset",),
    "engines": ("ENGINES",),
    "engines.base": ("AbstractEngine",),
    "environment": ("EnvState", "Environment", "random_cells"),
    "exact_answers": ("oracle",),
    "functional": ("FunctionalEnvironment", "FunctionalState", "Reward", "Timestep"),
    "inference": ("infer", "infer_and_count", "number_odds"),
    "rules.clicks": ("Button", "Click", "ClickedGame"),
    "rules.game": ("Game", "chord", "deal", "flag", "open_cells", "status", "view"),
    "rules.level": ("LEVELS", "Level", "LevelError", "Opening", "Start"),
    "rules.notation": ("GridPosition", "PositionError", "read_grid"),
    "rules.position": ("Position", "read_position", "stack_positions"),
    "rules.reasons": ("Reason",),
    "rules.status": ("GameStatus",),
    "runtime.version": ("__version__",),
    "scalar.advice": ("Advice", "Candidate"),
    "single.replay": (
        "RecordedMove",
        "Replay",
        "ReplayError",
        "load_replay",
        "record_game",
        "save_replay",
    ),
    "strategies": (
        "STRATEGIES",
        "AbstractStrategy",
        "AbstractTraceableStrategy",
        "LeastRisk",
        "Lookahead",
        "Move",
    ),
}
"""The module that defines each public name."""

_INNER_NAMES = {
    "load_replay": "load",
    "read_grid": "read",
    "read_position": "read",
    "record_game": "record",
    "save_replay": "save",
    "stack_positions": "stack",
}
"""Public names that are shorter in their modules."""

_PUBLIC_MODULES = ("formats", "posterior")
"""Modules of which all functions are public, under the name of the module."""

_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_MODULE_OF |= {module: module for module in _PUBLIC_MODULES}


register_with_gymnasium()


def __getattr__(name: str) -> object:
    """Imports a public name on first use: a command line that needs no JAX does not wait for it."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"jaxsweep.{_MODULE_OF[name]}")
    if name in _PUBLIC_MODULES:
        return module
    value = globals()[name] = getattr(module, _INNER_NAMES.get(name, name))
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
