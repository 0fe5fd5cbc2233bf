"""The command line of `python -m jaxsweep.play`: watch one game, measure many, or play yourself."""

import argparse
import json
import secrets
import time
from collections.abc import Iterator, Sequence

from rich.console import Console, Group
from rich.text import Text

from jaxsweep.commands import arguments
from jaxsweep.metrics.game import game_metrics, metrics_to_json
from jaxsweep.metrics.luck import luck
from jaxsweep.rules.clicks import Button, Click, ClickedGame
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import Opening, Start
from jaxsweep.rules.status import GameStatus
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.scalar.players import BEST, FAST
from jaxsweep.single import terminal
from jaxsweep.single.replay import save, to_json, to_replay
from jaxsweep.single.replay.clicks import clicked_game
from jaxsweep.single.watch import WatchedMove, share_opened, watch
from jaxsweep.single.words import (
    count,
    details_in_words,
    metrics_in_words,
    move_in_words,
    of_them_guesses,
)

DEFAULT_LEVEL = "beginner"

EXAMPLES = """examples:
  python -m jaxsweep.play                           beginner, move by move
  python -m jaxsweep.play expert --start zero       with a free opening
  python -m jaxsweep.play custom 12 12 10 --seed 7  a board of your own
  python -m jaxsweep.play expert --games 2000       how often does it win?
  python -m jaxsweep.play --save game.json.gz       save the game as a replay
  python -m jaxsweep.play intermediate --human      play yourself
  python -m jaxsweep.play expert --human --no-guess  play without luck
  python -m jaxsweep.play expert --human --guesses only-if-forced

what a guess leads to, with --human --guesses:
  as-dealt        safe or a mine, as the board was dealt
  not-needed      as dealt, but the board can be solved without
  forbidden       a mine; the board can be solved without
  safe-if-forced  safe where no cell is certain, else as dealt
  only-if-forced  safe where no cell is certain, else a mine

keys with --human: arrows or h j k l move, space opens a cell or what is around
a number that has its flags, f flags, ? gives a hint, p shows the odds, u undoes,
r starts a new game, q quits
"""

NOT_FOR_HUMANS = ("strategy", "games", "delay", "first", "json")
"""Options that are not allowed with `--human`."""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.play",
        "Watch a player, measure its win rate over many games, or play yourself.",
        EXAMPLES,
    )
    arguments.add_opening(parser, DEFAULT_LEVEL)
    arguments.add_strategy(parser, BEST, default_text=f"{BEST}, with --games {FAST}")
    arguments.add_seed(parser)
    parser.add_argument(
        "--games",
        type=arguments.whole_number(1, 2**32 - 1),
        metavar="N",
        help="play N games without drawing them, and report the win rate",
    )
    parser.add_argument(
        "--delay",
        type=arguments.seconds,
        metavar="S",
        help="seconds between moves (default: 0.15 in a terminal, else 0)",
    )
    arguments.add_json(parser)
    parser.add_argument("--human", action="store_true", help="play yourself; the keys are below")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--guesses",
        choices=[mode.value for mode in Guesses],
        metavar="MODE",
        help="with --human: what a guess leads to; the modes are below (default: as-dealt)",
    )
    modes.add_argument(
        "--no-guess",
        dest="guesses",
        action="store_const",
        const=Guesses.NOT_NEEDED.value,
        help="with --human: the same as --guesses not-needed",
    )
    parser.add_argument(
        "--name", metavar="NAME", help="who plays, for the leaderboard (default: the user)"
    )
    parser.add_argument(
        "--save",
        type=arguments.new_file,
        metavar="FILE",
        help="write the game (with --human, the last finished one) as a replay; .gz compresses it",
    )
    parsed = parser.parse_args(argv)
    for option in NOT_FOR_HUMANS if parsed.human else ():
        given = getattr(parsed, option)
        if given is not None and given is not False:
            parser.error(f"--{option} does not go with --human")
    if parsed.guesses is not None and not parsed.human:
        given = f"--guesses {parsed.guesses}"
        parser.error(f"{given} is for --human; boards without: python -m jaxsweep.boards")
    if parsed.name is not None and not parsed.human:
        parser.error("--name is for the leaderboard, which needs --human")
    if parsed.save is not None and parsed.games is not None:
        parser.error("--save writes one game: it does not go with --games")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    seed = parsed.seed if parsed.seed is not None else secrets.randbits(32)
    if parsed.human:
        return _play_human(parsed, seed)
    opening = arguments.read_opening(parsed)
    if parsed.games is not None:
        # Imported here: many games need JAX, one does not.
        from jaxsweep.commands.arena_run import measure_and_report
        from jaxsweep.simulation.settings import RunSettings

        settings = RunSettings.of(opening, parsed.strategy or FAST, seed, parsed.games)
        measure_and_report(settings, parsed.json, "play", argv)
        return 0
    name = parsed.strategy or BEST
    use_cache()
    moves = watch(name, opening, seed)
    watched = list(moves) if parsed.json else show(moves, opening, name, seed, parsed.delay)
    if parsed.json or parsed.save is not None:
        replay = to_replay(watched, name, opening, seed)
        if parsed.json:
            game = clicked_game(replay)
            metrics = metrics_to_json(game_metrics(game)) | {"luck": luck(game)}
            print(json.dumps(to_json(replay) | {"metrics": metrics}))
        if parsed.save is not None:
            save(replay, parsed.save)
    return 0


def _play_human(parsed: argparse.Namespace, seed: int) -> int:
    # Imported here, so that watching a game does not wait for it.
    from jaxsweep.single import leaderboard, terminal_play
    from jaxsweep.single.bending import check_size

    level, start, name = arguments.read_level(parsed.level), Start(parsed.start), parsed.name
    name = leaderboard.default_name() if name is None else leaderboard.tidy_name(name)
    guesses = Guesses(parsed.guesses or Guesses.AS_DEALT.value)
    check_size(level, guesses)
    use_cache()
    return terminal_play.play(level, start, seed, name, parsed.save, guesses)


def show(
    moves: Iterator[WatchedMove], opening: Opening, name: str, seed: int, delay: float | None
) -> list[WatchedMove]:
    """Draws a game: in place in a terminal, one board after the other elsewhere."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    pause = delay if delay is not None else (0.15 if console.is_terminal else 0.0)
    title = f"{name} on {opening.level}, {opening.start.value} start, seed {seed}"
    began, seen = time.perf_counter(), []

    def frames() -> Iterator[Group]:
        for move in moves:
            seen.append(move)
            yield frame(move, title, console)

    terminal.show_frames(frames(), console, pause)
    seconds = time.perf_counter() - began
    clicks = (Click(Button.LEFT, cell) for move in seen for cell in move.cells)
    game = ClickedGame(seen[-1].mines, tuple(clicks))
    metrics = game_metrics(game)
    console.print(metrics_in_words(metrics))
    console.print(details_in_words(metrics, luck(game)))
    console.print(ending(seen, opening, seconds))
    return seen


def frame(move: WatchedMove, title: str, console: Console) -> Group:
    """Draws one move: a title, what was opened and why, and the board."""
    over = move.status is not GameStatus.PLAYING
    board = terminal.draw(
        move.grid,
        move.new,
        move.mines if over else None,
        room=(console.height - 4, console.width),
        ascii_only=console.options.ascii_only,
    )
    return Group(Text(title, "bold"), Text(_sentence(move, console.width)), board)


def ending(moves: list[WatchedMove], opening: Opening, seconds: float) -> Text:
    """Returns the last line: the outcome, clicks, guesses, and time."""
    last = moves[-1]
    clicks = sum(len(move.cells) for move in moves)
    guesses = sum(move.reason.is_guess for move in moves)
    text = Text()
    text.append(*(("won", "bold green") if last.status is GameStatus.WON else ("lost", "bold red")))
    text.append(
        f" in {count(clicks, 'click')}, {of_them_guesses(guesses)}, "
        f"{share_opened(last, opening):.1%} of the board opened, {seconds:.1f} s"
    )
    return text


def _sentence(move: WatchedMove, width: int) -> str:
    """Returns what was opened and why, on one line."""
    head, is_mine = f"move {move.number + 1}, ", move.status is GameStatus.LOST
    return head + move_in_words(move.cells, move.explanation, move.risk, is_mine, width - len(head))
