"""`python -m jaxsweep.analyze`: a position in, its odds and the best move out."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import jax
import numpy as np
from jaxtyping import Bool, Float, Int8
from rich.console import Console
from rich.text import Text

from jaxsweep.diagnosis import diagnose
from jaxsweep.engines import ENGINES, exact
from jaxsweep.engines.batching import certain_by_single
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.inference import infer, infer_and_count
from jaxsweep.rules import bitboard
from jaxsweep.rules.deduction import deduce, simplest
from jaxsweep.rules.position import Position, PositionError, read_all, stack, to_grid
from jaxsweep.runtime.compilation import is_cold, use_cache
from jaxsweep.single import terminal
from jaxsweep.strategies import BEST, STRATEGIES, Candidate, Reason
from jaxsweep.strategies.least_risk import fewest_covered, least_risk

COUNTED_BELOW = 10**15
"""Layouts are given as a whole number up to here."""

LISTED = 5
"""How many of the safest cells are listed."""

EXAMPLE = """example:
  printf '4x3x2\\n01HH\\n01HH\\n011H\\n' | python -m jaxsweep.analyze

A position is a line COLSxROWSxMINES and a line a row: H hidden (also . and ?),
F flag (no evidence), 0 to 8 open. Or JSON: {"rows", "cols", "mines", "board"}.
Several positions, each with its first line, may follow one another.
"""


@dataclass(frozen=True)
class Analysis:
    """One position and all that is said of it."""

    grid: Int8[np.ndarray, "rows cols"]
    mines: int
    engine: str | None
    """The engine that was asked for; None: the exact one, and estimates beyond it."""
    status: Status
    log_layouts: float
    layouts: int | None
    odds: Float[np.ndarray, "rows cols"]
    error: Float[np.ndarray, "rows cols"]
    effective_samples: Float[np.ndarray, "rows cols"]
    score: Float[np.ndarray, "rows cols"] | None
    safe: Bool[np.ndarray, "rows cols"]
    certain_mines: Bool[np.ndarray, "rows cols"]
    best: tuple[int, int] | None
    reason: str
    candidates: tuple[Candidate, ...] = ()
    """Cells that were weighed for a guess, the best first."""
    is_ending: bool = False
    """Whether their chances to win are exact: the end was searched through."""

    @property
    def has_odds(self) -> bool:
        """Whether there are probabilities, exact or estimated."""
        return self.status in (Status.EXACT, Status.ESTIMATE)

    @property
    def order(self) -> Float[np.ndarray, "rows cols"]:
        """What the engine orders cells by: the odds, or a score."""
        return self.odds if self.score is None else self.score

    def as_json(self) -> dict:
        """The analysis as plain data; rows and columns from 0, top left."""
        hidden, exact = self.grid < 0, self.status is Status.EXACT
        best = None
        if self.best is not None:
            row, col = self.best
            chance = float(self.odds[row, col]) if self.has_odds else None
            best = {"row": row, "col": col, "mine_probability": chance, "reason": self.reason}
            if self.candidates:
                best["candidates"] = [
                    {
                        "row": option.cell[0],
                        "col": option.cell[1],
                        "mine_probability": option.risk,
                        "progress": option.progress,
                        "win": option.win,
                    }
                    for option in self.candidates
                ]
                best["win_is_exact"] = self.is_ending
        rows, cols = self.grid.shape

        def cells(grid: Float[np.ndarray, "rows cols"], told: bool) -> list[list[float | None]]:
            """Null in open cells, and where nothing is known."""
            known = hidden & np.isfinite(grid) & told
            return [
                [float(grid[r, c]) if known[r, c] else None for c in range(cols)]
                for r in range(rows)
            ]

        told = {
            "rows": rows,
            "cols": cols,
            "mines": self.mines,
            "status": self.status.name.lower(),
            "log10_layouts": _log10(self) if exact else None,
            "layouts": None if self.layouts is None else str(self.layouts),
            "mine_probability": cells(self.odds, self.has_odds),
            "safe": [[int(r), int(c)] for r, c in np.argwhere(self.safe)],
            "certain_mines": [[int(r), int(c)] for r, c in np.argwhere(self.certain_mines)],
            "best": best,
        }
        if self.engine is not None:
            told["engine"] = self.engine
        if self.status is Status.ESTIMATE:
            told["error"] = cells(self.error, True)
            told["effective_samples"] = cells(self.effective_samples, True)
        if self.score is not None:
            told["score"] = cells(self.score, True)
        return told


def analyze(positions: Sequence[Position], engine: str | None = None) -> list[Analysis]:
    """Analyses positions as one batch; raises `PositionError` for an inconsistent one."""
    beliefs, counts = infer_and_count(positions)
    if engine is not None:
        # Other engines do not count whole layouts: the number stays the exact engine's.
        beliefs = infer(positions, ENGINES[engine])
    for i, position in enumerate(positions):
        if beliefs.status[i] == Status.INCONSISTENT:
            which = f"position {i + 1}: " if len(positions) > 1 else ""
            raise PositionError(f"{which}inconsistent: {diagnose(position)}")
    return [
        _analyze(position, jax.tree.map(lambda leaf, i=i: leaf[i], beliefs), counts[i], engine)
        for i, position in enumerate(positions)
    ]


def _analyze(
    position: Position, beliefs: Beliefs, layouts: int | None, engine: str | None
) -> Analysis:
    grid = to_grid(position)
    rows, cols = grid.shape

    def crop(leaf) -> np.ndarray:
        return np.asarray(leaf)[:rows, :cols]

    exact = int(beliefs.status) == Status.EXACT
    analysis = Analysis(
        grid=grid,
        mines=int(position.mines),
        engine=engine,
        status=Status(int(beliefs.status)),
        log_layouts=float(beliefs.log_layouts),
        layouts=layouts if exact and layouts is not None and layouts < COUNTED_BELOW else None,
        odds=crop(beliefs.mine_probability),
        error=crop(beliefs.error),
        effective_samples=crop(beliefs.effective_samples),
        score=None if beliefs.score is None else crop(beliefs.score),
        safe=(safe := crop(beliefs.safe)),
        certain_mines=crop(beliefs.mines),
        best=None,
        reason="",
    )
    maybe = (grid < 0) & ~analysis.certain_mines
    if engine is None and analysis.status is Status.EXACT and maybe.any() and not safe.any():
        return _advised(position, analysis)
    best, reason = _best(position, analysis)
    return replace(analysis, best=best, reason=reason)


def _advised(position: Position, analysis: Analysis) -> Analysis:
    """With the guess of the best player, and what it weighed."""
    advice = STRATEGIES[BEST].advise(position, jax.random.key(0))
    opens = np.asarray(bitboard.unpack(np.asarray(advice.move.opens), analysis.grid.shape[1]))
    best = _first(opens)
    reason = f"{advice.reason}, risk {analysis.odds[best]:.2%}"
    ending = int(advice.move.reason) == Reason.BEST_ENDING
    return replace(
        analysis, best=best, reason=reason, candidates=advice.candidates, is_ending=ending
    )


def _best(position: Position, analysis: Analysis) -> tuple[tuple[int, int] | None, str]:
    """The cell to open, and why: of equal cells the first with the fewest covered neighbours."""
    grid, safe = analysis.grid, analysis.safe
    if safe.any():
        # Single numbers first: what finds those is compiled already.
        for deduction in (certain_by_single, _deduce):
            cells, rule = _simplest(deduction(position))
            proven = np.asarray(bitboard.unpack(np.asarray(cells), grid.shape[1])) & safe
            if proven.any():
                return _first(proven), Reason(int(rule)).text
        return _first(safe), Reason.NO_LAYOUT.text
    maybe = (grid < 0) & ~analysis.certain_mines
    if not maybe.any():
        return None, "nothing is left to open"
    if analysis.status is Status.OVER_CAPACITY:
        return None, "beyond the capacity or the budget of the engine"
    ties, least = least_risk(analysis.order[None], maybe[None], analysis.error[None])
    best = _first(fewest_covered(ties, (grid < 0)[None])[0])
    if analysis.status is Status.SCORE:
        reason = f"{Reason.LEAST_SCORE.text}, {analysis.order[best]:.2f}"
    elif analysis.status is Status.ESTIMATE:
        reason = f"{Reason.LEAST_ESTIMATE.text}, {analysis.order[best]:.2%}"
    else:
        reason = f"{Reason.LEAST_RISK.text}, {float(least[0]):.2%}"
    if ties.sum() > 1:
        such = "cells within its error" if analysis.status is Status.ESTIMATE else "such cells"
        reason += f"; of {int(ties.sum())} {such}, one with the fewest covered neighbours"
    return best, reason


_deduce = jax.jit(deduce)
_simplest = jax.jit(simplest)


def _first(cells: Bool[np.ndarray, "rows cols"]) -> tuple[int, int]:
    row, col = np.argwhere(cells)[0]
    return int(row), int(col)


def draw(analysis: Analysis, console: Console) -> None:
    """Prints an analysis for people."""
    # A pipe has no width: there, every board is drawn whole.
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
    for line in _what_is_said(analysis):
        console.print(line)
    if analysis.best is None:
        console.print(f"no move: {analysis.reason}")
    else:
        row, col = analysis.best
        for line in _weighed(analysis):
            console.print(line)
        console.print(Text.assemble((f"open ({row},{col})", "bold"), f": {analysis.reason}"))


def _what_is_said(analysis: Analysis) -> list[str]:
    """What the numbers on the board mean, and the best of them."""
    safe, mines = int(analysis.safe.sum()), int(analysis.certain_mines.sum())
    certain = f"{safe} cells certainly safe, {mines} certainly mines"
    if analysis.status is Status.OVER_CAPACITY:
        return [f"over capacity: only what simple rules settle is shown; {certain}"]
    if analysis.status is Status.SCORE:
        lines = [f"scores in tenths, not probabilities; {certain}"]
    elif analysis.status is Status.ESTIMATE:
        largest = float(analysis.error.max())
        how = f"standard errors up to {largest:.2%}" if np.isfinite(largest) else "error unknown"
        lines = [f"estimates, {how}; {certain}"]
    else:
        few = analysis.layouts is not None
        count = f"{analysis.layouts:,}" if few else f"about 10^{_log10(analysis):.2f}"
        layouts = "layout" if analysis.layouts == 1 else "layouts"
        lines = [f"{count} {layouts}; {certain}"]
    free = terminal.free_cells(analysis.grid) & ~analysis.safe & ~analysis.certain_mines
    if free.any() and analysis.has_odds:
        chance = float(analysis.odds[free].mean())
        each = "each" if analysis.status is Status.EXACT else "on average"
        lines.append(f"-- cells next to no number: {int(free.sum())}, {each} {chance:.2%}")
    return [*lines, f"safest: {_safest(analysis)}"]


def _weighed(analysis: Analysis) -> list[str]:
    """The best of the cells that were weighed, a line each."""
    if not analysis.candidates:
        return []
    win = "win" if analysis.is_ending else "win, about"
    lines = [f"{'weighed':>9}  {'a mine':>7}  {'progress':>8}  {win:>10}"]
    for option in analysis.candidates[:LISTED]:
        cell = f"({option.cell[0]},{option.cell[1]})"
        progress = "" if option.progress is None else f"{option.progress:.0%}"
        lines.append(f"{cell:>9}  {option.risk:>7.2%}  {progress:>8}  {option.win:>10.1%}")
    return lines


def _drawn_odds(analysis: Analysis) -> Float[np.ndarray, "rows cols"] | None:
    """Two digits a cell: percent of a probability, tenths of a score; None if there are none."""
    if analysis.status is Status.OVER_CAPACITY:
        return None
    return analysis.odds if analysis.score is None else analysis.score / 10


def _log10(analysis: Analysis) -> float:
    return analysis.log_layouts / math.log(10)


def _safest(analysis: Analysis) -> str:
    hidden = np.argwhere((analysis.grid < 0) & ~analysis.certain_mines)
    if not len(hidden):
        return "none: no cell is left that could be"
    values = analysis.order[tuple(hidden.T)]
    order = np.argsort(values, kind="stable")[:LISTED]
    form = "{:.2%}" if analysis.score is None else "{:.2f}"
    return "  ".join(f"({hidden[i][0]},{hidden[i][1]}) {form.format(values[i])}" for i in order)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, checked."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxsweep.analyze",
        description="The mine probability of every cell of a position, and the best move.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="the position; - or nothing: stdin"
    )
    parser.add_argument(
        "--engine",
        choices=list(ENGINES),
        metavar="NAME",
        help=f"how to think: {', '.join(ENGINES)} (default: exact, and chains beyond its capacity)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, one object a line for each position"
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    cold = is_cold()
    use_cache()
    try:
        text = sys.stdin.read() if parsed.file == "-" else Path(parsed.file).read_text()
    except UnicodeDecodeError as error:
        raise PositionError(f"{parsed.file}: byte {error.start} is not text") from None
    positions = read_all(text)
    if cold and parsed.engine in (None, "exact"):
        exact.warm_up(jax.tree.map(lambda leaf: leaf[..., 0], stack(positions)))
    analyses = analyze(positions, parsed.engine)
    if parsed.json:
        for analysis in analyses:
            print(json.dumps(analysis.as_json()))
        return 0
    console = Console(highlight=False)
    console.soft_wrap = not console.is_terminal
    for i, analysis in enumerate(analyses):
        if i:
            console.print()
        draw(analysis, console)
    return 0
