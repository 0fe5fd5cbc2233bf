"""The boards of `python -m jaxsweep.boards`: made, written and shown."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from jaxsweep.formats import FORMATS, writable, write
from jaxsweep.puzzles.board import BoardError, OrderedBoard
from jaxsweep.puzzles.difficulty import Difficulty, share_easier
from jaxsweep.puzzles.files import BoardFile, read_lines, to_line
from jaxsweep.puzzles.ordering import Order, first_boards
from jaxsweep.puzzles.ordering import Progress as Made
from jaxsweep.rules.board import Mask
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.grid import HIDDEN, neighbour_counts
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.runtime.files import write_atomically
from jaxsweep.single import terminal
from jaxsweep.single.words import count as count_in_words

LINES = "boards.jsonl"
"""The file of lines in a folder of boards in another format."""


def run(
    order: Order, count: int, patience: float, out: Path | None, other: str | None, as_json: bool
) -> None:
    """Makes boards, and writes or shows them."""
    use_cache()
    if out is None:
        _print(order, count, patience, as_json)
        return
    if other is not None:
        out.mkdir(parents=True, exist_ok=True)
    lines = out / LINES if other is not None else out
    file = BoardFile(lines, order)
    found, began = file.count, time.perf_counter()
    if count > found:
        _make(file, order, count, patience)
    if other is not None:
        _write_each(out, other, count)
    seconds = time.perf_counter() - began
    done = "finished before" if count <= found else f"{file.count - found:,} made"
    print(
        f"{count_in_words(file.count, 'board')} of {_in_words(order)} in {out}: "
        f"{done}, {seconds:.1f} s"
    )


def _in_words(order: Order) -> str:
    opening = order.wishes.opening
    how = ", repaired" if order.repaired else ""
    return (
        f"{opening.level}, {opening.start.value} start at {opening.first}, seed {order.seed}{how}"
    )


def _make(file: BoardFile, order: Order, count: int, patience: float) -> None:
    """Adds boards to a file until it has so many."""
    made = first_boards(order, count - file.count, file.next_game, patience)
    try:
        for progress in _with_bar(made, count, file.count):
            if progress.boards:
                file.add(progress.boards)
    except KeyboardInterrupt:
        print(f"\n{file.count:,} of {count:,} boards are in {file.path}; the same command goes on.")
        raise


def _with_bar(made: Iterator[Made], count: int, found: int) -> Iterator[Made]:
    """Yields the same, and shows a bar, which makes way for boards that are printed."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("boards"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[deals]:,} deals"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=count, completed=found, deals=0)
        for progress in made:
            if progress.boards and sys.stdout.isatty():
                bar.stop()
                yield progress
                bar.start()
            else:
                yield progress
            bar.update(task, advance=len(progress.boards), deals=progress.end)


def _write_each(folder: Path, other: str, count: int) -> None:
    """Writes boards of a folder's file of lines in another format, a file each."""
    suffix = next(iter(writable()[other].suffixes), f"-{other}.txt")
    assert other in FORMATS, "the command line offers no others"
    for number, board in enumerate(read_lines(folder / LINES), 1):
        path = folder / f"board-{number:06}{suffix}"
        if not path.exists() and number <= count:
            data = write(other, ClickedGame(board.mines))
            write_atomically(path, lambda part, data=data: part.write_bytes(data))


def _print(order: Order, count: int, patience: float, as_json: bool) -> None:
    """Prints boards as they are made."""
    shown = left_out = deals = 0
    began = time.perf_counter()
    for progress in _with_bar(first_boards(order, count, patience=patience), count, 0):
        left_out, deals = left_out + progress.left_out, progress.end
        for board in progress.boards:
            shown += 1
            if as_json:
                print(to_line(board), flush=True)
            else:
                print(f"board {shown}: {describe(board)}", flush=True)
                if count == 1:
                    show_layout(board.mines, board.opening.first)
    if as_json:
        return
    print(
        f"{count_in_words(shown, 'board')} of {_in_words(order)}: "
        f"{count_in_words(deals, 'deal')}, {time.perf_counter() - began:.1f} s"
    )
    if left_out:
        print(
            f"{count_in_words(left_out, 'board')} left out: too many layouts to count",
            file=sys.stderr,
        )


def describe(board: OrderedBoard) -> str:
    """Says what is known of a board, on one line."""
    if board.source is None:
        raise BoardError("this board was not made here")
    parts = [f"game {board.source.game}", f"3BV {board.bbbv}"]
    if board.hardest is None:
        parts.append("needs a guess")
    else:
        parts.append(f"hardest rule {board.hardest.word}")
    if board.difficulty is not None:
        score = board.difficulty.score
        parts.append(f"difficulty {score:g} ({share_easier(score):.0%} are easier)")
    return ", ".join(parts)


def difficulty_in_words(difficulty: Difficulty) -> str:
    """Says what a difficulty is made of."""
    steps = (
        f"steps: {difficulty.single_steps} with one number, {difficulty.pair_steps} with two, "
        f"{difficulty.larger_steps} with more, {difficulty.mine_count_steps} with the mine count"
    )
    if difficulty.most_cells:
        steps += f"; at most {difficulty.most_numbers} numbers, {difficulty.most_cells} cells"
    return steps


def show_layout(mines: Mask, first: tuple[int, int]) -> None:
    """Draws a board with its mines; the first cell stands out."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    new = np.zeros_like(mines)
    new[first] = True
    room = (max(console.height, mines.shape[0] + 3), max(console.width, mines.shape[1] + 5))
    ascii_only = console.options.ascii_only
    grid = np.where(mines, np.int8(HIDDEN), neighbour_counts(mines))
    console.print(terminal.draw(grid, new, mines, room, ascii_only))
