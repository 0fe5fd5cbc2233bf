"""jaxsweep: a vectorised probabilistic engine for Minesweeper."""

from jaxsweep.engines import ENGINES, AbstractEngine
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.inference import infer, number_odds
from jaxsweep.rules.game import Game, GameStatus, chord, deal, flag, open_cells, status, view
from jaxsweep.rules.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.rules.position import Position, PositionError
from jaxsweep.runtime.version import __version__
from jaxsweep.strategies import STRATEGIES, AbstractStrategy, Move, Reason

__all__ = [
    "ENGINES",
    "LEVELS",
    "STRATEGIES",
    "AbstractEngine",
    "AbstractStrategy",
    "Beliefs",
    "Game",
    "GameStatus",
    "Level",
    "LevelError",
    "Move",
    "Opening",
    "Position",
    "PositionError",
    "Reason",
    "Start",
    "Status",
    "__version__",
    "chord",
    "deal",
    "flag",
    "infer",
    "number_odds",
    "open_cells",
    "status",
    "view",
]
