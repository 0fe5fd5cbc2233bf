"""The leaderboard, as the window uses it: a file that fails must not end a game."""

from collections.abc import Iterator

from jaxsweep.single import leaderboard
from viewer import events
from viewer.wishes import LookUp, Score


def write_down(score: Score) -> Iterator[events.Told]:
    """Adds a finished game; says why if it cannot."""
    entry = leaderboard.Entry.now(
        score.name, score.level, score.start, score.won, score.seconds, score.helped
    )
    try:
        leaderboard.add(entry)
    except OSError as error:
        yield events.Told(f"the leaderboard cannot be written: {error.strerror or error}")


def look_up(wish: LookUp) -> events.Standing:
    """How a level stands, line by line."""
    try:
        entries = leaderboard.read()
    except OSError:
        return events.Standing(("the leaderboard cannot be read",))
    name = leaderboard.level_name(wish.level)
    found = leaderboard.standing(entries, name, wish.start)
    lines = [f"{name}, {wish.start.value} start: {found.wins} of {found.games} won"]
    lines += [
        f"{place}. {entry.seconds:.1f} s  {entry.name}"
        for place, entry in enumerate(found.best, start=1)
    ]
    return events.Standing(tuple(lines))
