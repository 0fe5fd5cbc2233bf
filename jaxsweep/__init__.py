"""jaxsweep: a vectorised probabilistic engine for Minesweeper."""

from jaxsweep.game import Game, GameStatus, chord, deal, flag, open_cells, status, view
from jaxsweep.level import LEVELS, Level, LevelError, Opening, Start
from jaxsweep.position import Position, PositionError
from jaxsweep.strategies import STRATEGIES, AbstractStrategy, Move, Reason

__all__ = [
    "LEVELS",
    "STRATEGIES",
    "AbstractStrategy",
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
    "chord",
    "deal",
    "flag",
    "open_cells",
    "status",
    "view",
]

__version__ = "0.1.0"
