"""Replays: games recorded move by move, on disk, checked, and as pictures and pages to share."""

from jaxsweep.single.replay.format import (
    HUMAN,
    RecordedMove,
    Replay,
    ReplayError,
    load,
    played,
    save,
    survival,
    to_json,
)
from jaxsweep.single.replay.recording import moves_of, odds_of, record

__all__ = [
    "HUMAN",
    "RecordedMove",
    "Replay",
    "ReplayError",
    "load",
    "moves_of",
    "odds_of",
    "played",
    "record",
    "save",
    "survival",
    "to_json",
]
