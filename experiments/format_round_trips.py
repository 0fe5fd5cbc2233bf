"""Whether games come back as they were written, from every format, and as ms_toollib reads them.

    python experiments/format_round_trips.py [--quick]

Games of the arena, of three players on three levels, and games that are made up with chords, flags
and clicks without effect, are written in every format that has room for them and read again. The
.evf and .rmv files are also read by ms_toollib (`pip install ms_toollib`), in a process of its own:
mines, time, and the clicks of each button must be the same, in games that begin with a left click.
Differences are printed and counted. Writes `results/format-round-trips.json`.
"""

import itertools
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import reporting
from jaxsweep.formats import Content, read, writable, write
from jaxsweep.formats.conversion import as_game, as_position, as_replay
from jaxsweep.rules.clicks import Button, ClickedGame, played
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.notation import GridPosition
from jaxsweep.single.replay import record
from tests.format_oracle import ms_toollib_facts
from tests.format_samples import made_up_game

SEED = 71
GAMES, QUICK_GAMES = 500, 45
MADE_UP, QUICK_MADE_UP = 500, 45
PLAYERS, LEVEL_NAMES = ("exact", "linear", "knowledge"), ("beginner", "intermediate", "expert")
BY_MS_TOOLLIB = ("evf", "rmv")


def games_of_the_arena(count: int) -> list[Content]:
    """Games of every player on every level, as replays."""
    pairs = itertools.cycle(itertools.product(PLAYERS, LEVEL_NAMES))
    return [
        record(player, Opening.of(LEVELS[level]), SEED, number)
        for number, (player, level) in track(zip(range(count), pairs, strict=False), total=count)
    ]


def differs(found: Content, content: Content) -> str:
    """What differs between what was read and what was written; nothing if all of it agrees."""
    if isinstance(found, GridPosition):
        expected = as_position(content)
        same = np.array_equal(found.grid, expected.grid) and found.mines == expected.mines
        return "" if same else "the position"
    written, again = as_game(content), as_game(found)
    if not np.array_equal(written.mines, again.mines):
        return "the mines"
    if isinstance(found, ClickedGame) and not found.clicks:
        return ""  # A board alone.
    # Players open several cells at once: the game may end before the last of them. Our own
    # replays hold the clicks that had an effect.
    is_ours = not isinstance(found, ClickedGame)
    before, after = (
        [one.click for one in played(game) if not (is_ours and one.after is one.before)]
        for game in (written, again)
    )
    if [click[:2] for click in before] != [click[:2] for click in after]:
        return "the clicks"
    for one, other in zip(before, after, strict=True):
        if one.seconds is not None and abs(one.seconds - (other.seconds or 0.0)) > 1e-9:
            return "the times"
    if as_replay(found).outcome is not as_replay(content).outcome:
        return "the outcome"
    return ""


def compare_with_ms_toollib(contents: list[Content]) -> tuple[int, int]:
    """Lets ms_toollib read the files of games that begin with a left click.

    Returns how many files that were, and how many it reads elsewise.
    """
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        paths, games = [], []
        for number, content in enumerate(contents):
            game = as_game(content)
            if not game.clicks or game.clicks[0].button is not Button.LEFT:
                continue
            for name in BY_MS_TOOLLIB:
                paths.append(Path(folder) / f"{number}.{name}")
                paths[-1].write_bytes(write(name, content))
                games.append(as_game(read(paths[-1].read_bytes())[0]))
        for path, game, facts in zip(paths, games, ms_toollib_facts(paths), strict=True):
            clicks = [sum(click.button is button for click in game.clicks) for button in Button]
            same = facts["mines"] == np.argwhere(game.mines).tolist()
            same &= [facts["left"], facts["right"], facts["double"]] == clicks
            if not same or abs(facts["rtime"] - (game.seconds or 0.0)) > 1.1e-3:
                different += 1
                print(f"ms_toollib reads {path.name} elsewise: {facts}, not {clicks}")
    return len(paths), different


def main() -> None:
    """Writes and reads all games."""
    parsed = reporting.arguments(__doc__, f"{QUICK_GAMES} games of each kind").parse_args()
    count, made_up = (QUICK_GAMES, QUICK_MADE_UP) if parsed.quick else (GAMES, MADE_UP)
    contents: list[Content] = [*games_of_the_arena(count)]
    contents += [made_up_game(1000 + number) for number in range(made_up)]
    trips, different = dict.fromkeys(writable(), 0), 0
    for number, content in enumerate(track(contents, "round trips")):
        for name in trips:
            difference = differs(read(write(name, content))[0], content)
            if difference:
                different += 1
                print(f"game {number}, {name}: {difference} came back elsewise")
            trips[name] += 1
    files, elsewise = compare_with_ms_toollib(contents)
    summary: dict[str, Any] = {
        "games of the arena": count,
        "games made up": made_up,
        "round trips by format": trips,
        "differences": different,
        "files that ms_toollib read": files,
        "differences from ms_toollib": elsewise,
        "ms_toollib": version("ms_toollib"),
    }
    print(summary)
    if not parsed.quick:
        reporting.write("format-round-trips", reporting.origin(seed=SEED) | summary)
    sys.exit(1 if different or elsewise else 0)


if __name__ == "__main__":
    main()
