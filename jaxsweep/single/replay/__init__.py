"""Recorded games: made from a watched game, saved, loaded, checked, and exported.

`format` defines `Replay` and its file format, `reading` and `writing` are its files, and
`recording` turns a strategy's game into a replay, `clicks` a game of clicks into one and back.
`checking` compares a replay with the exact engine, `pictures` draws it as PNG or GIF, and `page`
puts it on one web page; these three are imported from their modules, so that others do not load
what only they need.
"""

from jaxsweep.single.replay.format import (
    HUMAN,
    RecordedMove,
    Replay,
    ReplayError,
    after_move,
    survival,
)
from jaxsweep.single.replay.reading import from_bytes, load
from jaxsweep.single.replay.recording import record, recorded_moves, to_replay
from jaxsweep.single.replay.writing import save, to_bytes, to_json

__all__ = [
    "HUMAN",
    "RecordedMove",
    "Replay",
    "ReplayError",
    "after_move",
    "from_bytes",
    "load",
    "record",
    "recorded_moves",
    "save",
    "survival",
    "to_bytes",
    "to_json",
    "to_replay",
]
