"""jaxsweep: a vectorised probabilistic engine for Minesweeper."""

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines import ENGINES, AbstractEngine
from jaxsweep.game import Game, GameStatus, chord, deal, flag, open_cells, status, view
from jaxsweep.inference import infer, number_odds
from jaxsweep.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.position import Position, PositionError
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
    "chord",
    "deal",
    "flag",
    "infer",
    "number_odds",
    "open_cells",
    "status",
    "view",
]

__version__ = "0.1.0"
