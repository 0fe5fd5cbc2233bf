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
from jaxsweep.single.replay.recording import record, recorded_moves, to_replay

__all__ = [
    "HUMAN",
    "RecordedMove",
    "Replay",
    "ReplayError",
    "load",
    "played",
    "record",
    "recorded_moves",
    "save",
    "survival",
    "to_json",
    "to_replay",
]
