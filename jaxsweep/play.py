"""`python -m jaxsweep.play`: watch a strategy play one game, or let it play many."""

import argparse
import json
import secrets
import time
from collections.abc import Iterator, Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as TextTable
from rich.text import Text

from jaxsweep import arguments, machine, terminal
from jaxsweep.compilation import use_cache
from jaxsweep.game import GameStatus
from jaxsweep.level import Opening
from jaxsweep.matches import Record, play_games
from jaxsweep.statistics import wilson
from jaxsweep.strategies import BEST, STRATEGIES, AbstractStrategy
from jaxsweep.watch import Step, describe, share_opened, watch

DEFAULT_LEVEL = "beginner"

EXAMPLES = """examples:
  python -m jaxsweep.play                           a beginner game, move by move
  python -m jaxsweep.play expert --start zero       expert, with a free opening
  python -m jaxsweep.play custom 12 12 10 --seed 7  a board of your own
  python -m jaxsweep.play expert --games 2000       how often does it win?
"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, checked."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxsweep.play",
        description="Watch a strategy play Minesweeper, or measure it over many games.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_opening(parser, DEFAULT_LEVEL)
    parser.add_argument(
        "--strategy",
        choices=list(STRATEGIES),
        default=BEST,
        metavar="NAME",
        help=f"the player: {', '.join(STRATEGIES)} (default: {BEST})",
    )
    parser.add_argument(
        "--seed",
        type=arguments.whole_number(0, 2**32 - 1),
        metavar="N",
        help="the same seed gives the same games (default: a new one each time; it is shown)",
    )
    parser.add_argument(
        "--games",
        type=arguments.whole_number(1, 2**32 - 1),
        metavar="N",
        help="play N games without drawing them, and report how many were won",
    )
    parser.add_argument(
        "--delay",
        type=_seconds,
        metavar="S",
        help="seconds between moves (default: 0.15 in a terminal, else 0)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    opening = arguments.read_opening(parsed)
    strategy = STRATEGIES[parsed.strategy]
    seed = parsed.seed if parsed.seed is not None else secrets.randbits(32)
    if parsed.games is not None:
        machine.use_devices()
    use_cache()
    if parsed.games is not None:
        summary = measure(strategy, opening, seed, parsed.games)
        summary = {"level": str(opening.level), "start": opening.start.value} | summary
        report({"strategy": parsed.strategy} | summary, parsed.json)
    elif parsed.json:
        print(json.dumps(describe(list(watch(strategy, opening, seed)), opening, seed)))
    else:
        show(watch(strategy, opening, seed), opening, parsed.strategy, seed, parsed.delay)
    return 0


def show(
    steps: Iterator[Step], opening: Opening, name: str, seed: int, delay: float | None
) -> None:
    """Draws a game: in place in a terminal, one board after the other elsewhere."""
    console = Console(highlight=False, soft_wrap=True)
    pause = delay if delay is not None else (0.15 if console.is_terminal else 0.0)
    title = f"{name} on {opening.level}, {opening.start.value} start, seed {seed}"
    began, seen = time.perf_counter(), []
    if console.is_terminal:
        with Live(console=console, auto_refresh=False) as live:
            for step in steps:
                seen.append(step)
                live.update(frame(step, title, console), refresh=True)
                time.sleep(pause)
    else:
        for step in steps:
            seen.append(step)
            console.print(frame(step, title, console))
            time.sleep(pause)
    console.print(ending(seen, opening, time.perf_counter() - began))


def frame(step: Step, title: str, console: Console) -> Group:
    """One move, as it is drawn."""
    over = step.status is not GameStatus.PLAYING
    board = terminal.draw(
        step.grid,
        step.new,
        step.mines if over else None,
        room=(console.height - 4, console.width),
        ascii_only=console.options.ascii_only,
    )
    return Group(Text(title, "bold"), Text(_sentence(step, console.width)), board)


def ending(steps: list[Step], opening: Opening, seconds: float) -> Text:
    """The last line: who won, and in how much."""
    last = steps[-1]
    clicks = sum(len(step.cells) for step in steps)
    guesses = sum(step.reason.is_guess for step in steps)
    text = Text()
    text.append(*(("won", "bold green") if last.status is GameStatus.WON else ("lost", "bold red")))
    text.append(
        f" in {clicks} clicks, {guesses} of them guesses, "
        f"{share_opened(last, opening):.1%} of the board opened, {seconds:.1f} s"
    )
    return text


def measure(strategy: AbstractStrategy, opening: Opening, seed: int, games: int) -> dict:
    """Plays many games under a progress bar; the time to compile is not counted."""
    for _ in play_games(strategy, opening, seed, min(games, 1024)):
        pass
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    records: list[Record] = []
    began = time.perf_counter()
    with bar:
        task = bar.add_task("playing", total=games)
        for record in play_games(strategy, opening, seed, games):
            records.append(record)
            bar.advance(task, len(record.number))
    seconds = time.perf_counter() - began
    won = int(sum(record.won.sum() for record in records))
    safe = opening.level.cells - opening.level.mines
    opened = sum(int(record.opened.sum()) for record in records)
    return {
        "seed": seed,
        "games": games,
        "wins": won,
        "win_rate": won / games,
        "interval_95": wilson(won, games),
        "mean_share_opened": opened / (safe * games) if safe else 1.0,
        "mean_clicks": float(sum(int(record.clicks.sum()) for record in records)) / games,
        "mean_guesses": float(sum(int(record.guesses.sum()) for record in records)) / games,
        "games_per_second": games / seconds,
    }


def report(summary: dict, as_json: bool) -> None:
    """Prints a summary."""
    if as_json:
        print(json.dumps(summary))
        return
    low, high = summary["interval_95"]
    table = TextTable(title=None, show_header=False, box=None)
    table.add_row("strategy", summary["strategy"])
    table.add_row("level", f"{summary['level']}, {summary['start']} start")
    table.add_row("games", f"{summary['games']:,} (seed {summary['seed']})")
    table.add_row(
        "won",
        f"{summary['wins']:,} = {summary['win_rate']:.2%} (95 %: {low:.2%} to {high:.2%})",
    )
    table.add_row("cleared", f"{summary['mean_share_opened']:.2%} of the safe cells, on average")
    table.add_row("clicks", f"{summary['mean_clicks']:.1f} a game")
    table.add_row("guesses", f"{summary['mean_guesses']:.2f} a game")
    table.add_row("speed", f"{summary['games_per_second']:,.0f} games a second")
    Console(highlight=False).print(table)


def _sentence(step: Step, width: int) -> str:
    """What was opened and why, on one line."""
    risk = "" if not step.risk else f", {step.risk:.1%}"
    tail = f": {step.reason.text}{risk}"
    if step.status is GameStatus.LOST:
        tail += ". A mine!"
    head = f"move {step.number + 1}, "
    room = width - len(head) - len(tail)
    for shown in range(len(step.cells), 0, -1):
        cells = " ".join(f"({row},{col})" for row, col in step.cells[:shown])
        rest = len(step.cells) - shown
        text = cells + (f" and {rest} more" if rest else "")
        if len(text) <= room or shown == 1:
            return head + text + tail
    raise AssertionError("a move opens at least one cell")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, 0 to 3600")
    return value


if __name__ == "__main__":
    arguments.run(main)
