"""The command line of `python -m jaxsweep.analyze`: the odds of a position, and the best move."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float
from rich.console import Console
from rich.text import Text

from jaxsweep.beliefs import Status
from jaxsweep.commands import arguments
from jaxsweep.engines import ENGINES
from jaxsweep.formats import MAX_BYTES, READ, read, read_source
from jaxsweep.formats.conversion import as_position, last_decision, positions_in
from jaxsweep.rules.notation import GridPosition, PositionError
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.single import terminal
from jaxsweep.single.analysis import Analysis, analyze
from jaxsweep.single.words import count, layouts_in_words

LISTED = 5
"""The number of safest cells, and of candidates, that are listed."""

EXAMPLE = (
    """example:
  printf '4x3x2\\n01HH\\n01HH\\n011H\\n' | python -m jaxsweep.analyze

A position is a line COLSxROWSxMINES and a line a row: H hidden (also . and ?),
F flag (no evidence), 0 to 8 open. Or JSON: {"rows", "cols", "mines", "board"},
or a message of mspe.node: {"board": {"width", "height", "mines"}, "tiles"}.
Several positions, each with its first line, may follow one another.
Games are analysed before their last move, or after --move N.
Other files and links: """
    + READ
    + "."
)


def draw(analysis: Analysis, console: Console) -> None:
    """Prints an analysis for people."""
    # A pipe has no size: there, boards are not cropped.
    room = (console.height - 8, console.width) if console.is_terminal else (10**6, 10**6)
    console.print(
        terminal.draw_odds(
            analysis.grid,
            _drawn_odds(analysis),
            analysis.safe,
            analysis.certain_mines,
            analysis.best,
            room,
            console.options.ascii_only,
        )
    )
    for line in _summary(analysis):
        console.print(line)
    if analysis.best is None:
        console.print(f"no move: {analysis.reason}")
    else:
        row, col = analysis.best
        for line in _candidate_table(analysis):
            console.print(line)
        console.print(Text.assemble((f"open ({row},{col})", "bold"), f": {analysis.reason}"))


def _summary(analysis: Analysis) -> list[str]:
    """Returns lines that explain the numbers on the board and list the safest cells."""
    safe, mines = int(analysis.safe.sum()), int(analysis.certain_mines.sum())
    certain = f"{count(safe, 'cell')} certainly safe, {mines} certainly mines"
    if mines == 1:
        certain = f"{count(safe, 'cell')} certainly safe, 1 certainly a mine"
    if analysis.status is Status.OVER_CAPACITY:
        return [f"{analysis.status.message}: only what simple rules prove is shown; {certain}"]
    if analysis.status is Status.SCORE:
        lines = [f"scores in tenths, not probabilities; {certain}"]
    elif analysis.status is Status.ESTIMATE:
        largest = float(analysis.error.max())
        how = f"standard errors up to {largest:.2%}" if np.isfinite(largest) else "error unknown"
        lines = [f"estimates, {how}; {certain}"]
    else:
        layouts = layouts_in_words(analysis.layouts, analysis.log10_layouts)
        lines = [f"{layouts}; {certain}"]
    far = terminal.unconstrained_cells(analysis.grid) & ~analysis.safe & ~analysis.certain_mines
    if far.any() and analysis.has_odds:
        mean = float(analysis.odds[far].mean())
        each = "each" if analysis.status is Status.EXACT else "on average"
        lines.append(f"-- cells next to no number: {int(far.sum())}, {each} {mean:.2%}")
    return [*lines, f"safest: {_safest(analysis)}"]


def _candidate_table(analysis: Analysis) -> list[str]:
    """Returns a table of the best candidates, one line each."""
    if not analysis.candidates:
        return []
    win = "win" if analysis.win_is_exact else "win, about"
    lines = [f"{'candidate':>9}  {'a mine':>7}  {'progress':>8}  {win:>10}"]
    for candidate in analysis.candidates[:LISTED]:
        cell = f"({candidate.cell[0]},{candidate.cell[1]})"
        progress = "" if candidate.progress is None else f"{candidate.progress:.0%}"
        lines.append(f"{cell:>9}  {candidate.risk:>7.2%}  {progress:>8}  {candidate.win:>10.1%}")
    return lines


def _drawn_odds(analysis: Analysis) -> Float[np.ndarray, "rows cols"] | None:
    """Returns what is drawn in two digits: a percentage, or tenths of a score; None if unknown."""
    if analysis.status is Status.OVER_CAPACITY:
        return None
    return analysis.odds if analysis.score is None else analysis.score / 10


def _safest(analysis: Analysis) -> str:
    """Lists the hidden cells of least probability or score."""
    hidden = np.argwhere((analysis.grid < 0) & ~analysis.certain_mines)
    if not len(hidden):
        return "none: no hidden cell can be safe"
    values = analysis.order[tuple(hidden.T)]
    order = np.argsort(values, kind="stable")[:LISTED]
    style = "{:.2%}" if analysis.score is None else "{:.2f}"
    return "  ".join(f"({hidden[i][0]},{hidden[i][1]}) {style.format(values[i])}" for i in order)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.analyze",
        "Show the mine probability of every cell of a position, and the best move.",
        EXAMPLE,
    )
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        metavar="FILE",
        help="a file of positions or a game, or a link (default: -, standard input)",
    )
    parser.add_argument(
        "--move",
        type=arguments.whole_number(0, 2**32 - 1),
        metavar="N",
        help="of a game, the position after N moves (default: before its last move)",
    )
    parser.add_argument(
        "--engine",
        choices=list(ENGINES),
        metavar="NAME",
        help=f"the inference engine: {', '.join(ENGINES)} "
        "(default: exact, and chains for positions over its capacity)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, one line for each position"
    )
    return parser.parse_args(argv)


def _read_positions(file: str, move: int | None) -> list[GridPosition]:
    """Reads positions and games from a file or a link, or from standard input for "-"."""
    if file == "-":
        if sys.stdin.isatty():
            print("Paste a position, then press Ctrl-D.", file=sys.stderr)
        contents = read(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    else:
        contents = read(*read_source(file))
    found = positions_in(contents)
    if move is None:
        return [last_decision(content) for content in found]
    return [as_position(content, move) for content in found]


def _analyses(
    positions: Sequence[GridPosition], engine: str | None
) -> Iterator[Analysis | PositionError]:
    """Yields the analysis of each position, or what is wrong with it.

    A single one that is wrong raises: nothing else is left to answer.
    """
    for number, position in enumerate(positions, 1):
        try:
            yield analyze([position], engine)[0]
        except PositionError as error:
            if len(positions) == 1:
                raise
            yield PositionError(f"position {number}: {error}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    use_cache()
    console, status = Console(highlight=False, markup=False, emoji=False), 0
    console.soft_wrap = not console.is_terminal
    positions = _read_positions(parsed.file, parsed.move)
    for i, found in enumerate(_analyses(positions, parsed.engine)):
        if isinstance(found, PositionError):
            print(f"jaxsweep: {found}", file=sys.stderr)
            status = arguments.USAGE_ERROR
        if parsed.json:
            wrong = isinstance(found, PositionError)
            print(json.dumps({"error": str(found)} if wrong else found.as_json()), flush=True)
        elif isinstance(found, Analysis):
            if i:
                console.print()
            draw(found, console)
    return status
