"""What opening a candidate leads to: the afterstate of every number that it may show.

An afterstate is a position with one more open cell. Its number of layouts tells how likely the
number is, and the beliefs about it tell its value.
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Reason
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.lookahead import EQUAL, SLACK
from jaxsweep.strategies.base import Move
from jaxsweep.strategies.candidates import NUMBERS, CandidateArrays

LogLayouts = Float[Array | np.ndarray, " batch"]
"""The logarithm of the number of layouts of each position."""


class Outcomes(eqx.Module):
    """The afterstates of the candidates of a batch of positions, last, as far as evaluated."""

    candidates: CandidateArrays
    evaluated: Bool[Array, "candidates numbers batch"]
    log_layouts: Float[Array, "candidates numbers batch"]
    value: Float[Array, "candidates numbers batch"]
    progress: Bool[Array, "candidates numbers batch"]
    """Whether a cell is certainly safe in the afterstate."""
    over_capacity: Bool[Array, "candidates numbers batch"]
    """Afterstates that the engine could not evaluate: their layouts and values stay unknown."""

    @classmethod
    def unknown(cls, candidates: CandidateArrays) -> "Outcomes":
        """Returns outcomes of which none is evaluated."""
        shape = candidates.shows.shape
        no, zero = jnp.zeros(shape, bool), jnp.zeros(shape, jnp.float32)
        return cls(candidates, no, zero - jnp.inf, zero, no, no)

    def updated(
        self,
        index: Int[Array, " some"],
        which: Bool[Array, " some"],
        beliefs: Beliefs,
        value: Float[Array, " some"],
    ) -> "Outcomes":
        """Returns the outcomes with some more afterstates evaluated.

        `index` are places in the flattened arrays, of which only `which` count.
        """
        shape = self.evaluated.shape
        exact = jnp.asarray(beliefs.status) == Status.EXACT
        place = jnp.where(which, index, self.evaluated.size)

        def put(whole: Array, new: Array) -> Array:
            return whole.reshape(-1).at[place].set(new, mode="drop").reshape(shape)

        return Outcomes(
            candidates=self.candidates,
            evaluated=put(self.evaluated, which),
            log_layouts=put(self.log_layouts, jnp.where(exact, beliefs.log_layouts, -jnp.inf)),
            value=put(self.value, value),
            progress=put(self.progress, exact & jnp.any(beliefs.safe, axis=(0, 1))),
            over_capacity=put(self.over_capacity, beliefs.status == Status.OVER_CAPACITY),
        )

    def probabilities(self, log_layouts: LogLayouts) -> Float[Array, "candidates numbers batch"]:
        """Returns the probability that a candidate is safe and shows a number.

        `log_layouts` are those of the positions themselves.
        """
        return jnp.where(self.evaluated, jnp.exp(self.log_layouts - log_layouts[None, None]), 0.0)

    @property
    def complete(self) -> Bool[Array, "candidates batch"]:
        """Which candidates have all their afterstates evaluated, and none over capacity."""
        return ~jnp.any(self.candidates.shows & ~self.evaluated | self.over_capacity, axis=1)

    def expected_values(self, log_layouts: LogLayouts) -> Float[Array, "candidates batch"]:
        """Returns each candidate's expected value: safe, no 50/50 lost, times the value afterwards.

        A lower bound for a candidate that is not complete.
        """
        probabilities, safety = self.probabilities(log_layouts), self.candidates.safety
        # Ratios among the numbers are precise, and sum to the probability that the cell is safe.
        known = jnp.sum(probabilities, axis=1)
        mean = jnp.sum(probabilities * self.value, axis=1) / jnp.maximum(known, 1e-30)
        survives = jnp.where(self.complete, safety, jnp.minimum(safety, known))
        return mean * survives * self.candidates.forced_guess_factor

    def undecided(self, log_layouts: LogLayouts) -> Bool[Array, " batch"]:
        """Tells where a candidate may be the best, with an afterstate that is over capacity."""
        unknown = jnp.any(self.over_capacity, axis=1)
        return jnp.any(unknown & self.may_be_best(log_layouts), axis=0)

    def may_be_best(self, log_layouts: LogLayouts) -> Bool[Array, "candidates batch"]:
        """Tells which candidates can still be the best, whatever is not evaluated yet."""
        probabilities = self.probabilities(log_layouts)
        values = self.expected_values(log_layouts)
        unknown = jnp.maximum(self.candidates.safety - jnp.sum(probabilities, axis=1), 0.0)
        best = jnp.max(jnp.where(self.complete, values, 0.0), axis=0)
        expected = jnp.sum(probabilities * self.value, axis=1)
        upper_bound = (expected + unknown) * self.candidates.forced_guess_factor
        return upper_bound + SLACK > best[None]


def afterstates(
    positions: Position,
    mines: Bits,
    candidates: CandidateArrays,
    index: Int[Array, " some"],
    there: Bool[Array, " some"],
) -> Position:
    """Returns the positions after some candidates were opened and showed some numbers.

    `index` are places in the flattened arrays of candidates' numbers. Certain `mines` stay certain,
    and are flagged. Where `there` is false, the position is returned as it was.
    """
    batch = candidates.row.shape[1]
    game, number, which = (
        index % batch,
        index // batch % NUMBERS,
        index // (batch * NUMBERS),
    )
    row, col = candidates.row[which, game], candidates.col[which, game]
    known = mines[..., game]
    cell = materialize(bitboard.mask(there, bitboard.single(row, col, known)))
    ones, twos, fours, eights = (
        plane[..., game] | bitboard.mask((number >> i) % 2 == 1, cell)
        for i, plane in enumerate(positions.numbers)
    )
    return Position(
        hidden=positions.hidden[..., game] & ~cell,
        opened=positions.opened[..., game] | cell,
        numbers=(ones, twos, fours, eights),
        flags=known,
        mines=positions.mines[game],
    )


def best_candidate_moves(
    wanted: Bool[Array, " batch"], move: Move, beliefs: Beliefs, outcomes: Outcomes
) -> Move:
    """Replaces the moves of the `wanted` positions by their candidates of the highest value."""
    candidates = outcomes.candidates
    values = outcomes.expected_values(beliefs.log_layouts)
    # Of equal values the first, whatever rounding makes of them.
    best = jnp.argmax(values >= jnp.max(values, axis=0)[None] - EQUAL, axis=0)[None]
    row, col, safety = (
        jnp.take_along_axis(x, best, axis=0)[0]
        for x in (candidates.row, candidates.col, candidates.safety)
    )
    opens = jnp.asarray(move.opens)
    return Move(
        opens=bitboard.select(wanted, bitboard.single(row, col, opens), opens),
        flags=move.flags,
        reason=jnp.where(wanted, Reason.LOOKAHEAD, move.reason).astype(jnp.int32),
        risk=jnp.where(wanted, 1.0 - safety, move.risk),
    )
