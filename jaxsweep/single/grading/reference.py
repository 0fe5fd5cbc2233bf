"""What is known of the standard levels: how often they are won, and what known players lose."""

import json
from functools import lru_cache
from pathlib import Path

from jaxsweep.rules.level import Level, Start
from jaxsweep.single.leaderboard import level_name

REFERENCE = Path(__file__).with_suffix(".json")
"""By level and start rule, the mean losses of players, and the games that `strongest` wins; written
by `experiments/grades.py`."""


def losses_of_players(level: Level, start: Start) -> dict[str, float]:
    """Returns the mean loss of a game by player; empty where nothing is known."""
    return _reference()["losses"].get(_key(level, start), {})


def chance_before(level: Level, start: Start) -> float | None:
    """Returns how often the judge wins a game; None where nothing is known.

    With the start rule ANY, the first cell has to be survived, and then it is as with SAFE.
    """
    if start is Start.ANY:
        safe = chance_before(level, Start.SAFE)
        return None if safe is None else safe * (1.0 - level.mines / level.cells)
    return _reference()["chances"].get(_key(level, start))


def _key(level: Level, start: Start) -> str:
    return f"{level_name(level)} {start.value}"


@lru_cache(maxsize=1)
def _reference() -> dict[str, dict]:
    return json.loads(REFERENCE.read_text("utf-8"))
