"""The look-ahead of one position on the host.

For one position the device loop would be compiled for nothing: here the same steps are small
kernels, and the questions in between go through `infer`, whose engine has a larger capacity.
"""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from jaxsweep.engines import Exact
from jaxsweep.engines.beliefs import Beliefs
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import WORD, Bits
from jaxsweep.rules.position import Position
from jaxsweep.strategies.base import Candidate, Move
from jaxsweep.strategies.candidates import CandidateArrays
from jaxsweep.strategies.fifty_fifty import FiftyFifties
from jaxsweep.strategies.lookahead_loop import LookaheadSettings
from jaxsweep.strategies.outcomes import Outcomes, afterstates, best_candidate_moves
from jaxsweep.strategies.win_probability import win_probability


class Evaluation(eqx.Module):
    """The candidates of a batch of one position, evaluated, and the move that follows."""

    move: Move
    arrays: CandidateArrays
    progress: Float[Array, "candidates 1"]
    """If a candidate is safe, the probability that a cell is certainly safe afterwards."""
    win: Float[Array, "candidates 1"]
    """The estimated win probability."""

    def candidates(self) -> tuple[Candidate, ...]:
        """Lists the candidates, the chosen one first, then by win probability."""
        opens = np.asarray(self.move.opens)[..., 0]
        ((row, col),) = np.argwhere(bitboard.unpack(opens, opens.shape[1] * WORD)).tolist()
        columns = (self.arrays.row, self.arrays.col, self.arrays.safety, self.progress, self.win)
        rows = zip(*(np.asarray(leaf)[:, 0].tolist() for leaf in columns), strict=True)
        candidates = [
            Candidate((r, c), 1.0 - safety, progress, win)
            for r, c, safety, progress, win in rows
            if safety > 0
        ]
        return tuple(sorted(candidates, key=lambda each: (each.cell != (row, col), -each.win)))


def evaluate(
    position: Position, move: Move, beliefs: Beliefs, settings: LookaheadSettings
) -> Evaluation:
    """Evaluates the candidates of a batch of one position; `beliefs` are on the device.

    `move` is what would be played without looking ahead.
    """
    pairs = FiftyFifties.none(position)
    if settings.fifty_fifties:
        pairs, conditioned = _ask_fifty_fifties(position, beliefs)
        pairs = _update_fifty_fifties(pairs, beliefs, _infer_some(conditioned, pairs.pending))
    candidates, after = _ask_afterstates(position, beliefs, pairs, settings.ratio, settings.count)
    found = _infer_some(after, candidates.shows)
    return _conclude(position, move, beliefs, candidates, after, found, settings)


def _infer_some(positions: Position, wanted: Bool[Array, "*questions"]) -> Beliefs:
    """Infers exact beliefs about the wanted positions of a batch; the others stay unknown."""
    there = np.flatnonzero(wanted)
    unknown = Beliefs.unknown(positions)
    if not len(there):
        return unknown
    some = jax.tree.map(lambda leaf: np.asarray(leaf)[..., there], positions)

    def put(whole: Array, part: Array) -> np.ndarray:
        filled = np.array(whole)
        filled[..., there] = part
        return filled

    return jax.tree.map(put, unknown, infer(some, Exact()).to_device())


def _mines(beliefs: Beliefs) -> Bits:
    return jnp.asarray(bitboard.pack(jnp.asarray(beliefs.mines)))


@jax.jit
def _ask_fifty_fifties(position: Position, beliefs: Beliefs) -> tuple[FiftyFifties, Position]:
    """Returns the pairs that may become a 50/50, and the positions to ask about them."""
    pairs = FiftyFifties.of(position, beliefs, jnp.ones_like(beliefs.status, bool))
    every = jnp.arange(pairs.pending.size, dtype=jnp.int32)
    pending = pairs.pending.reshape(-1)
    return pairs, pairs.conditioned(position, _mines(beliefs), every, pending)


@jax.jit
def _update_fifty_fifties(pairs: FiftyFifties, beliefs: Beliefs, found: Beliefs) -> FiftyFifties:
    every = jnp.arange(pairs.pending.size, dtype=jnp.int32)
    return pairs.updated(every, pairs.pending.reshape(-1), found, beliefs.log_layouts)


@partial(jax.jit, static_argnames=("ratio", "count"))
def _ask_afterstates(
    position: Position, beliefs: Beliefs, pairs: FiftyFifties, ratio: float, count: int
) -> tuple[CandidateArrays, Position]:
    """Returns the candidates, and the afterstates of all their numbers."""
    wanted = jnp.ones_like(beliefs.status, bool)
    candidates = CandidateArrays.of(position, beliefs, pairs, wanted, ratio, count)
    there = candidates.shows.reshape(-1)
    every = jnp.arange(there.size, dtype=jnp.int32)
    return candidates, afterstates(position, _mines(beliefs), candidates, every, there)


@eqx.filter_jit
def _conclude(
    position: Position,
    move: Move,
    beliefs: Beliefs,
    candidates: CandidateArrays,
    after: Position,
    found: Beliefs,
    settings: LookaheadSettings,
) -> Evaluation:
    """Evaluates the candidates by the beliefs about their afterstates."""
    every = jnp.arange(candidates.shows.size, dtype=jnp.int32)
    there = candidates.shows.reshape(-1)
    value = settings.value(found, after)
    outcomes = Outcomes.unknown(candidates).updated(every, there, found, value)
    probabilities = outcomes.probabilities(beliefs.log_layouts)
    known = jnp.maximum(jnp.sum(probabilities, axis=1), 1e-30)
    values = outcomes.expected_values(beliefs.log_layouts)
    wanted = jnp.ones_like(beliefs.status, bool)
    return Evaluation(
        move=best_candidate_moves(wanted, move, beliefs, outcomes),
        arrays=candidates,
        progress=jnp.sum(jnp.where(outcomes.progress, probabilities, 0.0), axis=1) / known,
        win=win_probability(values, position, beliefs),
    )
