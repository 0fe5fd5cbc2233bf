"""A registry whose entries are imported when they are first looked up."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


class LazyRegistry(Mapping[str, T]):
    """Objects by name, each an instance of a class that is imported on first use.

    The names alone cost nothing: a command line lists them without importing what they stand for.
    """

    def __init__(self, classes: Mapping[str, str]):
        """Takes the class of each name, as `module:Class`; it is called without arguments."""
        self._classes, self._made = dict(classes), {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            module, kind = self._classes[name].split(":")
            self._made[name] = getattr(import_module(module), kind)()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._classes

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._classes)})"
