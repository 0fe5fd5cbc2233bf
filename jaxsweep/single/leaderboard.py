"""The leaderboard: finished games, one line each, in a CSV file in the user's data folder.

The file only ever grows: each line is appended in one write, so that two programs may add games at
once. A line that cannot be read is skipped and left as it is.
"""

import csv
import getpass
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_data_path

from jaxsweep.rules.level import LEVELS, Level, Start

COLUMNS = ("name", "level", "start", "won", "seconds", "helped", "date", "3bv")
"""Lines of older versions have no 3BV."""

BEST_TIMES = 5
"""How many of the best times are listed."""

OTHER_MODES = "Games of this mode are not in the leaderboard."
"""What is said after a game of another mode."""

MAX_NAME_LENGTH = 40

DEFAULT_NAME = "player"
"""The name of a person who gives none."""


@dataclass(frozen=True)
class Entry:
    """One finished game."""

    name: str
    level: str
    """As `level_name` returns it."""
    start: Start
    won: bool
    seconds: float
    helped: bool
    """Whether hints, odds or undo were used."""
    date: datetime
    bbbv: int | None = None
    """The 3BV of the board; None where it was not noted."""

    @classmethod
    def now(
        cls,
        name: str,
        level: Level,
        start: Start,
        won: bool,
        seconds: float,
        helped: bool,
        bbbv: int | None = None,
    ) -> "Entry":
        """A game that ended just now."""
        date = datetime.now(UTC).replace(microsecond=0)
        about = (tidy_name(name), level_name(level), start, won, round(seconds, 3), helped)
        return cls(*about, date, bbbv)

    @property
    def speed(self) -> str:
        """The 3BV a second of a game that was won, in words; empty where it is not known."""
        if not self.won or self.bbbv is None or self.seconds <= 0:
            return ""
        return f", {self.bbbv / self.seconds:.2f} 3BV/s"


@dataclass(frozen=True)
class Standing:
    """Games, wins and best times of one level with one start rule."""

    games: int
    wins: int
    best: tuple[Entry, ...]
    """The fastest games won without help, fastest first; the older one first of equal times."""


def path() -> Path:
    """Returns the path of the leaderboard's file."""
    return user_data_path("jaxsweep") / "leaderboard.csv"


def level_name(level: Level) -> str:
    """Returns `beginner` and so on, or `ROWSxCOLSxMINES`."""
    names = [name for name, known in LEVELS.items() if known == level]
    return names[0] if names else f"{level.rows}x{level.cols}x{level.mines}"


def tidy_name(name: str) -> str:
    """Returns a name as it is stored: one line, not too long; `DEFAULT_NAME` if empty."""
    printable = "".join(char if char.isprintable() else " " for char in name)
    return " ".join(printable.split())[:MAX_NAME_LENGTH].strip() or DEFAULT_NAME


def default_name() -> str:
    """Returns the user's name on this machine, or `DEFAULT_NAME` where it has none."""
    try:
        return tidy_name(getpass.getuser())
    except (OSError, KeyError, ImportError):
        return DEFAULT_NAME


def add(entry: Entry) -> None:
    """Adds a game; raises `OSError` where the file cannot be written."""
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+b", buffering=0) as out:
        before = b""
        if out.seek(0, io.SEEK_END) == 0:
            before = _line(COLUMNS)
        else:
            out.seek(-1, io.SEEK_END)
            if out.read(1) != b"\n":
                before = b"\n"  # The last line was cut off: this one starts anew.
        out.write(before + _line(_fields(entry)))


def read() -> list[Entry]:
    """Returns all readable games, oldest first; raises `OSError` if the file cannot be opened."""
    try:
        text = path().read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    # Line by line: a stray quote spoils its own line, not all that follow.
    entries = (_entry(line) for line in text.split("\n"))
    return [entry for entry in entries if entry is not None]


def standing(entries: Iterable[Entry], level: str, start: Start) -> Standing:
    """Summarises the games of one level, by its `level_name`, with one start rule."""
    played = [entry for entry in entries if (entry.level, entry.start) == (level, start)]
    won = [entry for entry in played if entry.won]
    fair = [entry for entry in won if not entry.helped]
    best = sorted(fair, key=lambda entry: entry.seconds)[:BEST_TIMES]
    return Standing(len(played), len(won), tuple(best))


def standing_after(entries: Iterable[Entry], entry: Entry) -> str:
    """Says how the player of a game stands on its level, and the best time of all."""
    entries = list(entries)
    own = [other for other in entries if other.name == entry.name]
    mine = standing(own, entry.level, entry.start)
    everyone = standing(entries, entry.level, entry.start)
    text = f"{entry.name} won {mine.wins} of {mine.games} on {entry.level}"
    if not everyone.best:
        return f"{text}."
    best = everyone.best[0]
    whose = "" if best.name == entry.name else f" by {best.name}"
    record = " A new best time!" if best == entry and len(everyone.best) > 1 else ""
    return f"{text}; best time {best.seconds:.1f} s{whose}.{record}"


def standing_lines(entries: Iterable[Entry], level: Level, start: Start) -> tuple[str, ...]:
    """Lists the wins and the best times of a level, line by line."""
    name = level_name(level)
    found = standing(entries, name, start)
    times = (
        f"{place}. {e.seconds:.1f} s  {e.name}{e.speed}"
        for place, e in enumerate(found.best, start=1)
    )
    return f"{name}, {start.value} start: {found.wins} of {found.games} won", *times


def _fields(entry: Entry) -> tuple[str, ...]:
    return (
        entry.name,
        entry.level,
        entry.start.value,
        str(int(entry.won)),
        str(entry.seconds),
        str(int(entry.helped)),
        entry.date.isoformat(),
        *(() if entry.bbbv is None else (str(entry.bbbv),)),
    )


def _line(fields: tuple[str, ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue().encode()


def _entry(line: str) -> Entry | None:
    """Reads one line; None where it is no game, such as the header."""
    try:
        fields = next(csv.reader([line], strict=True))
        (name, level, start, won, seconds, helped, date, *rest) = fields
        (bbbv,) = map(int, rest or ("-1",))
        entry = Entry(
            name=name,
            level=level,
            start=Start(start),
            won=_flag(won),
            seconds=float(seconds),
            helped=_flag(helped),
            date=datetime.fromisoformat(date),
            bbbv=None if bbbv < 0 else bbbv,
        )
    except (ValueError, StopIteration, csv.Error):
        return None
    return entry if math.isfinite(entry.seconds) and entry.seconds >= 0 else None


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(text)
    return text == "1"
