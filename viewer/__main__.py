"""`python -m viewer`: the window."""

import argparse
import secrets
from collections.abc import Sequence
from dataclasses import replace

from jaxsweep.commands import arguments
from jaxsweep.formats import READ, read_source
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Level, LevelError, Start
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.players import BEST
from jaxsweep.single import leaderboard
from jaxsweep.single.bending import check_size
from jaxsweep.single.replay import ReplayError
from viewer.layout import SCALES
from viewer.model import MAX_CELLS, Mode, Settings

EXAMPLES = """examples:
  python -m viewer                          choose what to do; F1 shows the keys
  python -m viewer game.json                step through a replay
  python -m viewer position.txt             the odds of a position
  python -m viewer --mode watch --level expert --seed 7
"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "viewer",
        "Play Minesweeper, watch a player, step through replays, and see odds.",
        EXAMPLES,
    )
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"a game, a position, or a link: {READ}"
    )
    parser.add_argument(
        "--mode",
        choices=[mode.name.lower() for mode in Mode],
        help="the first mode, without a file (default: the start screen, or play with --level)",
    )
    parser.add_argument(
        "--level",
        nargs="+",
        metavar="LEVEL",
        help=f"{', '.join(LEVELS)}, or custom ROWS COLS MINES (default: beginner)",
    )
    parser.add_argument(
        "--scale",
        type=float,
        choices=SCALES,
        help="size of letters and buttons (default: by the screen; Ctrl + and − change it)",
    )
    parser.add_argument(
        "--guesses",
        choices=[mode.value for mode in Guesses],
        default=Guesses.AS_DEALT.value,
        metavar="MODE",
        help="what a guess leads to when you play: "
        f"{', '.join(mode.value for mode in Guesses)} (default: as-dealt)",
    )
    arguments.add_start(parser)
    arguments.add_strategy(parser, BEST)
    arguments.add_seed(parser)
    return parser.parse_args(argv)


def _level(words: Sequence[str]) -> Level:
    """Reads a level that the window can show."""
    level = arguments.read_level(words)
    if level.cells > MAX_CELLS:
        raise LevelError(f"the window takes boards of up to {MAX_CELLS} cells, not {level.cells}")
    return level


def _recent() -> tuple[Level, Start] | None:
    """Returns the level that was played last, and its start rule; None if there is none."""
    try:
        last = leaderboard.read()[-1]
        sizes = last.level.split("x")
        level = arguments.read_level(["custom", *sizes] if len(sizes) == 3 else [last.level])
    except (OSError, IndexError, UserError):
        return None
    return (level, last.start) if level.cells <= MAX_CELLS else None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    use_cache()
    settings = Settings(
        level=_level(parsed.level or ["beginner"]),
        start=Start(parsed.start),
        strategy=parsed.strategy,
        seed=parsed.seed if parsed.seed is not None else secrets.randbits(32),
        name=leaderboard.default_name(),
        guesses=Guesses(parsed.guesses),
    )
    check_size(settings.level, settings.guesses)
    mode = Mode[(parsed.mode or "play").upper()]
    if mode is Mode.WATCH:
        _ = settings.opening  # Raises `LevelError` before a window opens.
    # Imported here, so that bad arguments are reported without waiting for it.
    from viewer.engine_worker import EngineWorker
    from viewer.events import Dropped
    from viewer.update import start, update
    from viewer.window import Window

    model = start(settings, mode)
    if parsed.file is None and parsed.mode is None and parsed.level is None:
        model = replace(model, shows_start=True, recent=_recent())
    if parsed.file is not None:
        data, name = read_source(parsed.file)
        model = update(model, Dropped(name, data))
        if model.message:
            raise ReplayError(model.message)
    Window(model, EngineWorker(), fits_screen=True, scale=parsed.scale).run()
    return 0


if __name__ == "__main__":
    arguments.run(main)
