"""Exact answers about what players see: a batch of observations in, arrays out.

The scalar path compiled to machine code gives them, on all cores. They depend on the observations
alone, so that nothing hidden can leak into them.
"""

import math
from collections.abc import Collection

import jax
import numpy as np
from jaxtyping import Array, Float, Int, Int8, Int32, Shaped

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.batching import parallel_map
from jaxsweep.engines.native import Native
from jaxsweep.native.layout_listing import CERTAIN_MINE
from jaxsweep.native.observed import win_some
from jaxsweep.rules import bitboard, position
from jaxsweep.rules.level import Level, Opening, Start
from jaxsweep.scalar.endgame import LOG_ERROR
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.scalar.view import MAX_CELLS
from jaxsweep.strategies import STRATEGIES
from jaxsweep.strategies.native import workspace

ANSWERS = ("mine_probability", "safe", "mines", "log_layouts", "choice", "win_probability")
"""What can be asked for."""

CHUNK = 16
"""Guesses or searches that a thread makes at once: some take a thousand times as long as others."""

_COVERED, _MINE, _EXPLODED = -1, 9, 10
"""In observations: as in `jaxsweep.functional`."""


def oracle(
    observations: Shaped[np.ndarray | Array, "*batch rows cols"],
    mines: int,
    start: Start = Start.SAFE,
    answers: Collection[str] = ANSWERS,
) -> dict[str, np.ndarray]:
    """Answers what can be known given each observation: exactly, and of a whole batch at once.

    An observation is a grid with the numbers of open cells and −1 in the others, as
    `FunctionalEnvironment` and its adapters give it. The answers are NumPy arrays with the axes of
    the batch first:

    - `mine_probability`, `[rows, cols]`: the probability that a hidden cell is a mine; 0 in open
      cells, and NaN in all cells of a position over the capacity of exact inference.
    - `safe` and `mines`, `[rows, cols]`: the hidden cells that are a mine in no consistent layout,
      and in every one.
    - `log_layouts`: the natural logarithm of the number of consistent layouts; NaN over capacity.
    - `choice`: the cell that the strongest player opens, row · columns + column; the first of those
      that are certainly safe, if there are any; −1 where there is nothing to open.
    - `win_probability`, `[rows, cols]`: the chance to win after opening a hidden cell next, with
      optimal play from then on; 0 in open cells. It is found by exhaustive search, near the end, as
      far as the strongest player searches; in all other positions, all cells are NaN.

    Of a game that is over, as 9 or 10 in its observation tell, nothing is hidden: there is one
    layout, and nothing to open. While all cells are hidden, `start` says what is known: where the
    first cell cannot be a mine, all of them are safe; the choice is that of `Opening.of`.

    Args:
        observations: int8 from −1 to 10.
        mines: the mines on each board.
        start: the start rule of the games.
        answers: what is wanted, of `ANSWERS`: choices take the most time by far.

    Raises `ValueError` for what is no observation, or a position that no layout satisfies.

    """
    if unknown := sorted(set(answers) - set(ANSWERS)):
        raise ValueError(f"no answer {unknown[0]!r}; there are {', '.join(ANSWERS)}")
    seen = np.asarray(observations)
    if seen.dtype.kind not in "iu":
        raise ValueError(f"observations are whole numbers, as int8; not {seen.dtype}")
    *batch, rows, cols = seen.shape
    level = Level(rows, cols, mines)
    if level.cells > MAX_CELLS:
        raise ValueError(
            f"the oracle is for boards of up to {MAX_CELLS} cells; this one has {level.cells}"
        )
    found = _answer(_checked(seen.reshape(-1, rows, cols)), level, start, set(answers))
    return {
        name: found[name].reshape((*batch, *found[name].shape[1:]))
        for name in ANSWERS
        if name in answers
    }


def _checked(seen: Int[np.ndarray, "batch rows cols"]) -> Int8[np.ndarray, "batch rows cols"]:
    wrong = np.argwhere((seen < _COVERED) | (seen > _EXPLODED))
    if wrong.size:
        which, row, col = wrong[0].tolist()
        raise ValueError(
            f"observation {which} has {seen[which, row, col]} at ({row}, {col}): "
            f"cells are −1, a number from 0 to 8, or 9 and 10 for mines after the end"
        )
    return seen.astype(np.int8)


def _answer(
    seen: Int8[np.ndarray, "batch rows cols"], level: Level, start: Start, wanted: set[str]
) -> dict[str, np.ndarray]:
    """Answers with the batch as one axis."""
    over = (seen >= _MINE).any((1, 2))
    untouched = (seen == _COVERED).all((1, 2))
    asked = np.nonzero(~over & ~untouched)[0]
    found = {
        "mine_probability": np.zeros(seen.shape, np.float32),
        "safe": np.zeros(seen.shape, bool),
        "mines": np.zeros(seen.shape, bool),
        "log_layouts": np.zeros(len(seen)),
        "choice": np.full(len(seen), -1, np.int32),
        "win_probability": np.full(seen.shape, np.nan),
    }
    if untouched.any():
        for name, value in _before_the_first_cell(level, start).items():
            found[name][untouched] = value
    if asked.size:
        some = seen[asked]
        beliefs = _infer(some, asked, level.mines)
        exact = np.asarray(beliefs.status) == Status.EXACT
        known = exact[:, None, None]
        found["mine_probability"][asked] = np.where(known, beliefs.mine_probability, np.nan)
        found["safe"][asked], found["mines"][asked] = beliefs.safe, beliefs.mines
        found["log_layouts"][asked] = np.where(exact, beliefs.log_layouts, np.nan)
        if "choice" in wanted:
            found["choice"][asked] = _choose(some, beliefs, level.mines)
        if "win_probability" in wanted:
            found["win_probability"][asked] = _search(some, beliefs, level.mines)
    return found


def _before_the_first_cell(level: Level, start: Start) -> dict[str, float]:
    opening = Opening.of(level, start)
    row, col = opening.first
    factorials = (level.cells, level.mines, level.cells - level.mines)
    all_layouts, placed, rest = (math.lgamma(count + 1) for count in factorials)
    certain = start is not Start.ANY or level.mines == 0
    return {
        "mine_probability": opening.first_risk,
        "safe": certain,
        "mines": not certain and level.mines == level.cells,
        "log_layouts": all_layouts - placed - rest,
        "choice": row * level.cols + col,
    }


def _infer(
    seen: Int8[np.ndarray, "some rows cols"], numbers: Int[np.ndarray, " some"], mines: int
) -> Beliefs:
    """Infers beliefs about observations of these numbers, without the padding of their container.

    Raises `ValueError` if no layout satisfies one of them.
    """
    beliefs = Native().infer(position.from_grids(seen, mines), np.zeros(len(seen), np.uint32))
    impossible = np.nonzero(np.asarray(beliefs.status) == Status.INCONSISTENT)[0]
    if impossible.size:
        raise ValueError(
            f"no layout of {mines} mines satisfies observation {numbers[impossible[0]]}"
        )
    cols = seen.shape[2]
    return jax.tree.map(lambda leaf: leaf[..., :cols] if leaf.ndim == 3 else leaf, beliefs)


def _choose(
    seen: Int8[np.ndarray, "some rows cols"], beliefs: Beliefs, mines: int
) -> Int32[np.ndarray, " some"]:
    """Returns the cells that the strongest player opens."""
    count, _, cols = seen.shape
    safe, hidden = beliefs.safe.reshape(count, -1), (seen == _COVERED).reshape(count, -1)
    has_safe = safe.any(1)
    choice = np.where(has_safe, safe.argmax(1), -1).astype(np.int32)
    undecided = (hidden & ~beliefs.mines.reshape(count, -1)).any(1)
    guessed = np.nonzero(~has_safe & undecided)[0]

    def work(begin: int) -> None:
        which = guessed[begin : begin + CHUNK]
        words = jax.device_put(np.zeros((len(which), 2), np.uint32))
        keys = jax.random.wrap_key_data(words, impl="threefry2x32")
        moves = STRATEGIES[BEST].guess(position.from_grids(seen[which], mines), keys)
        opens = bitboard.unpack_batch(np.asarray(moves.opens))[:, :, :cols]
        choice[which] = opens.reshape(len(which), -1).argmax(1)

    parallel_map(work, range(0, len(guessed), CHUNK), bytes_per_job=1)
    return choice


def _search(
    seen: Int8[np.ndarray, "some rows cols"], beliefs: Beliefs, mines: int
) -> Float[np.ndarray, "some rows cols"]:
    """Returns the win probabilities of hidden cells, and NaN where search is not in reach."""
    best = PLAYERS[BEST]
    assert isinstance(best, LookaheadPlayer)
    most, (count, rows, cols) = best.endgame_layouts, seen.shape
    grids = np.where(beliefs.mines, np.int8(CERTAIN_MINE), seen).reshape(count, -1)
    asked = np.asarray(beliefs.log_layouts) <= math.log(most) + LOG_ERROR
    asked &= np.asarray(beliefs.status) == Status.EXACT
    wins, layouts = np.full(grids.shape, -1, np.int64), np.zeros(count, np.int64)

    def work(some: Int[np.ndarray, " chunk"]) -> None:
        begin, end = int(some[0]), int(some[-1]) + 1
        space = workspace(rows, cols, most).space
        win_some(begin, end, grids, asked, cols, mines, most, space, wins, layouts)

    # Chunks of those that are asked for, whose order is that of the batch.
    which = np.nonzero(asked)[0]
    chunks = [which[begin : begin + CHUNK] for begin in range(0, len(which), CHUNK)]
    parallel_map(work, chunks, bytes_per_job=1)
    shares = np.maximum(wins, 0) / np.maximum(layouts, 1)[:, None]
    return np.where(layouts[:, None] > 0, shares, np.nan).reshape(seen.shape)
