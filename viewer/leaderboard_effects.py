"""The leaderboard's effects; a file that cannot be read or written does not end a game."""

from collections.abc import Iterator

from jaxsweep.single import leaderboard
from viewer import events
from viewer.effects import EnterGame, ReadLeaderboard


def enter(effect: EnterGame) -> Iterator[events.Notice]:
    """Adds a finished game; yields a notice if that is not possible."""
    try:
        leaderboard.add(effect.game.entry(effect.name))
    except OSError as error:
        yield events.Notice(f"the leaderboard cannot be written: {error.strerror or error}")


def read(effect: ReadLeaderboard) -> events.LeaderboardRead:
    """Returns the wins and best times of a level, line by line."""
    try:
        entries = leaderboard.read()
    except OSError:
        return events.LeaderboardRead(("the leaderboard cannot be read",))
    return events.LeaderboardRead(leaderboard.standing_lines(entries, effect.level, effect.start))
