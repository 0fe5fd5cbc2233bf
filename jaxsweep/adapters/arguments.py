"""What all adapters are made with: a level, a start rule and a reward, by name or as they are."""

from collections.abc import Collection
from enum import Enum
from typing import TypeVar

from jaxsweep.functional import FunctionalEnvironment, Reward
from jaxsweep.rules.level import LEVELS, Level, Start

Kind = TypeVar("Kind", bound=Enum)


def environment_of(
    level: Level | str, start: Start | str, reward: Reward | str
) -> FunctionalEnvironment:
    """Returns the environment; raises `ValueError` naming the argument that is wrong, and how."""
    if isinstance(level, str):
        level = LEVELS[one_of("level", level, LEVELS)]
    return FunctionalEnvironment(
        level, member("start", start, Start), member("reward", reward, Reward)
    )


def member(argument: str, value: Kind | str, kind: type[Kind]) -> Kind:
    """Returns the member of an enumeration that is given, as it is or by its value."""
    if isinstance(value, str):
        value = kind(one_of(argument, value, [each.value for each in kind]))
    return value


def one_of(argument: str, name: str, names: Collection[str]) -> str:
    """Returns the name of an argument; raises `ValueError` if it is none of those there are."""
    if name not in names:
        raise ValueError(f"{argument} is one of {', '.join(map(repr, names))}; not {name!r}")
    return name
