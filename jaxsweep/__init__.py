"""jaxsweep: a vectorised probabilistic engine for Minesweeper.

What `__all__` lists is the public API; every other module is internal and may change. A position is
read with `read_position` and analysed with `infer`, which returns `Beliefs`: the mine probability
of every hidden cell, and whether it is exact. `ENGINES` and `STRATEGIES` have the inference engines
and the players by name. `Environment` steps batches of games for learners. `record_game`,
`save_replay` and `load_replay` deal with recorded games.

The commands are `python -m jaxsweep` followed by analyze, play, view, replay, arena or bench.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from jaxsweep.engines import ENGINES, AbstractEngine
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.environment import Environment, EnvState, random_cells
from jaxsweep.inference import infer, infer_and_count, number_odds
from jaxsweep.rules.game import Game, GameStatus, chord, deal, flag, open_cells, status, view
from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.rules.position import Position, PositionError
from jaxsweep.rules.position import read as read_position
from jaxsweep.rules.position import stack as stack_positions
from jaxsweep.runtime.version import __version__
from jaxsweep.strategies import (
    STRATEGIES,
    AbstractStrategy,
    AbstractTraceableStrategy,
    Advice,
    Candidate,
    LeastRisk,
    Lookahead,
    Move,
    Reason,
)

if TYPE_CHECKING:
    from jaxsweep.single.replay import RecordedMove, Replay, ReplayError
    from jaxsweep.single.replay import load as load_replay
    from jaxsweep.single.replay import record as record_game
    from jaxsweep.single.replay import save as save_replay

__all__ = [
    "ENGINES",
    "LEVELS",
    "STRATEGIES",
    "AbstractEngine",
    "AbstractStrategy",
    "AbstractTraceableStrategy",
    "Advice",
    "Beliefs",
    "Candidate",
    "EnvState",
    "Environment",
    "Game",
    "GameStatus",
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
    "Start",
    "Status",
    "__version__",
    "chord",
    "deal",
    "flag",
    "infer",
    "infer_and_count",
    "load_replay",
    "number_odds",
    "open_cells",
    "random_cells",
    "read_position",
    "record_game",
    "save_replay",
    "stack_positions",
    "status",
    "view",
]

_REPLAYS = {
    "RecordedMove": "RecordedMove",
    "Replay": "Replay",
    "ReplayError": "ReplayError",
    "load_replay": "load",
    "record_game": "record",
    "save_replay": "save",
}
"""Public names, and what they are called in `jaxsweep.single.replay`."""


def __getattr__(name: str) -> object:
    """Imports the names of `_REPLAYS` on first use, so that `import jaxsweep` stays fast."""
    if name not in _REPLAYS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("jaxsweep.single.replay"), _REPLAYS[name])
