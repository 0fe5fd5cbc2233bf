"""What if this cell were open, and showed that? The exact engine is asked about all such positions.

A candidate's numbers are positions of their own, with one cell more open: how many layouts each of
them has left tells how likely that number is, and its beliefs tell what it leads to.
"""

import enum
from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from jaxsweep.engines import device_exact
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.bitboard import Bits, Planes
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.strategies.fifty_fifty import CLOSE, FiftyFifties

NUMBERS = 9
"""A cell shows 0 to 8."""

SLACK = 1e-3
"""What rounding may add to a score: a candidate is given up if it is behind by more."""

LogLayouts = Float[Array | np.ndarray, " batch"]
"""The logarithm of the number of layouts of each position."""

Judge = Callable[[Beliefs, Position], Float[Array, " batch"]]
"""What positions are worth, from 0 to 1, by the engine's beliefs about them."""


class CandidateArrays(eqx.Module):
    """Cells worth a closer look, of a batch of positions, last: the best first."""

    row: Int[Array, "most batch"]
    col: Int[Array, "most batch"]
    safety: Float[Array, "most batch"]
    """0 where there is no candidate."""
    spared: Float[Array, "most batch"]
    """The chance that no toss is lost but those which opening it forestalls."""
    shows: Bool[Array, "most numbers batch"]
    """Which numbers it may show, by what is known of its neighbours alone."""

    @classmethod
    def of(
        cls,
        positions: Position,
        beliefs: Beliefs,
        tosses: FiftyFifties,
        look: Bool[Array, " batch"],
        within: float,
        most: int,
    ) -> "CandidateArrays":
        """Of positions to be looked at, the cells `within` times as good as the best, or better.

        A cell is good if it is safe, and no toss is lost elsewhere. At most so many of each
        position: the best, then those with the fewest covered neighbours.
        """
        rows, cols, batch = beliefs.mine_probability.shape
        mines = materialize(jnp.asarray(bitboard.pack(beliefs.mines)))
        maybe = materialize(bitboard.mask(look, positions.hidden & ~mines))
        covered, mined = materialize(
            (
                bitboard.neighbour_counts(positions.hidden),
                bitboard.neighbour_counts(mines),
            )
        )
        there = jnp.asarray(bitboard.unpack(maybe, cols))
        safety = materialize(jnp.where(there, 1.0 - beliefs.mine_probability, 0.0))
        spared = materialize(tosses.spared(rows, cols))
        good = materialize(safety * spared)
        in_toss = jnp.asarray(bitboard.pack(spared > jnp.min(spared, axis=(0, 1))[None, None]))
        worth_it = jnp.asarray(
            bitboard.unpack(materialize(_no_twins(maybe, positions, covered, in_toss)), cols)
        )
        best = jnp.max(jnp.where(worth_it, good, 0.0), axis=(0, 1))
        near_best = worth_it & (good >= within * best[None, None])
        # What is told where few neighbours are covered is told of few cells.
        rough = jnp.round(good / CLOSE) * CLOSE - 0.1 * CLOSE * bitboard.as_floats(covered)
        order = materialize(jnp.where(near_best, rough, -1.0).reshape(-1, batch))
        places, values = bitboard.largest(order, most)
        found = values >= 0

        def read(grid: Float[Array, "rows cols batch"]) -> Float[Array, "most batch"]:
            return jnp.take_along_axis(grid.reshape(order.shape), places, axis=0)

        number = jnp.arange(NUMBERS, dtype=jnp.float32)[None, :, None]
        few, many = (read(bitboard.as_floats(planes))[:, None] for planes in (mined, covered))
        return cls(
            row=places // cols,
            col=places % cols,
            safety=jnp.where(found, read(safety), 0.0),
            spared=jnp.where(found, read(spared), 0.0),
            shows=(number >= few) & (number <= many) & found[:, None],
        )


def _no_twins(cells: Bits, positions: Position, covered: Planes, in_toss: Bits) -> Bits:
    """The cells, but one corner, one side and one middle only of those far from all open ones.

    What happens to one of these happens to all, unless it may come to a toss.
    """
    far = cells & ~bitboard.dilate(bitboard.dilate(positions.opened)) & ~in_toss
    ones, twos, fours, eights = covered
    kinds = (ones & twos & ~fours & ~eights, ones & fours & ~twos & ~eights, eights)
    for kind in kinds:
        twins = far & kind
        cells = (cells & ~twins) | bitboard.nth(twins, jnp.zeros_like(positions.mines))
    return cells


class Outcomes(eqx.Module):
    """What the numbers of candidates lead to, of a batch of positions, last."""

    candidates: CandidateArrays
    asked: Bool[Array, "most numbers batch"]
    log_layouts: Float[Array, "most numbers batch"]
    worth: Float[Array, "most numbers batch"]
    progress: Bool[Array, "most numbers batch"]
    """Whether a cell is safe then."""

    @classmethod
    def unknown(cls, candidates: CandidateArrays) -> "Outcomes":
        """Before anything is asked."""
        shape = candidates.shows.shape
        no, zero = jnp.zeros(shape, bool), jnp.zeros(shape, jnp.float32)
        return cls(candidates, no, zero - jnp.inf, zero, no)

    def told(
        self,
        index: Int[Array, " some"],
        which: Bool[Array, " some"],
        beliefs: Beliefs,
        worth: Float[Array, " some"],
    ) -> "Outcomes":
        """With the beliefs about some of the numbers, by their places in the flat arrays.

        What is beyond the engine counts as asked, and has no layouts that are known.
        """
        shape = self.asked.shape
        exact = beliefs.status == Status.EXACT
        place = jnp.where(which, index, self.asked.size)

        def put(whole: Array, new: Array) -> Array:
            return whole.reshape(-1).at[place].set(new, mode="drop").reshape(shape)

        return Outcomes(
            candidates=self.candidates,
            asked=put(self.asked, which),
            log_layouts=put(self.log_layouts, jnp.where(exact, beliefs.log_layouts, -jnp.inf)),
            worth=put(self.worth, worth),
            progress=put(self.progress, exact & jnp.any(beliefs.safe, axis=(0, 1))),
        )

    def shares(
        self, log_layouts: Float[Array | np.ndarray, " batch"]
    ) -> Float[Array, "most numbers batch"]:
        """Of the layouts of a position, the part in which a candidate shows a number."""
        return jnp.where(self.asked, jnp.exp(self.log_layouts - log_layouts[None, None]), 0.0)

    @property
    def complete(self) -> Bool[Array, "most batch"]:
        """Which candidates have been asked about all their numbers."""
        return ~jnp.any(self.candidates.shows & ~self.asked, axis=1)

    def scores(
        self, log_layouts: Float[Array | np.ndarray, " batch"]
    ) -> Float[Array, "most batch"]:
        """The chance to survive each candidate, and all tosses, times what is then left.

        Less of one given up. A number that leads beyond the engine counts as the candidate's others
        do on average.
        """
        shares, safety = self.shares(log_layouts), self.candidates.safety
        # Ratios among the numbers are precise; what they sum to is the chance to survive.
        known = jnp.sum(shares, axis=1)
        mean = jnp.sum(shares * self.worth, axis=1) / jnp.maximum(known, 1e-30)
        survives = jnp.where(self.complete, safety, jnp.minimum(safety, known))
        return mean * survives * self.candidates.spared

    def hopeful(
        self, log_layouts: Float[Array | np.ndarray, " batch"]
    ) -> Bool[Array, "most batch"]:
        """Which candidates may still be the best, whatever is not known of them yet."""
        shares, scores = self.shares(log_layouts), self.scores(log_layouts)
        unknown = jnp.maximum(self.candidates.safety - jnp.sum(shares, axis=1), 0.0)
        best = jnp.max(jnp.where(self.complete, scores, 0.0), axis=0)
        at_most = (jnp.sum(shares * self.worth, axis=1) + unknown) * self.candidates.spared
        return at_most + SLACK > best[None]


def show(
    positions: Position,
    mines: Bits,
    candidates: CandidateArrays,
    index: Int[Array, " some"],
    there: Bool[Array, " some"],
) -> Position:
    """Positions with one more cell open, by places in the flat arrays of candidates' numbers.

    Mines that are certain before are so after, and known. Where nothing is `there`, the position
    as it was.
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


def _cleared(positions: Position, which: Bool[Array, " batch"]) -> Position:
    """Nothing at all but in these places: then there is nothing to count."""
    return jax.tree.map(
        lambda leaf: jnp.where(jnp.broadcast_to(which, leaf.shape), leaf, jnp.zeros_like(leaf)),
        positions,
    )


class _Round(enum.IntEnum):
    """What is asked about."""

    POSITIONS = 0
    TOSSES = 1
    NUMBERS = 2


def look_ahead(
    positions: Position,
    wanted: Callable[[Beliefs], Bool[Array, " batch"]],
    judge: Judge,
    within: float,
    most: int,
    with_tosses: bool,
) -> tuple[Beliefs, Outcomes]:
    """Beliefs of a batch of positions, last, and the prospects of those that are `wanted`.

    One loop asks about everything, in batches: first the positions themselves, then, `with_tosses`,
    the pairs that may come to one, then the numbers of their candidates, the best first. Who can no
    longer be the best is not asked about. What an engine has no room for in one batch, it gets
    first in the next.
    """
    batch = positions.mines.shape[0]

    def step(state):
        turn, beliefs, tosses, prospects, left = state
        numbers = turn == _Round.NUMBERS
        of_numbers, of_pairs = (
            bitboard.compact(which.reshape(-1), batch) for which in (left, tosses.left)
        )
        index, there = jax.tree.map(partial(jnp.where, numbers), of_numbers, of_pairs)
        index = jnp.where(turn == _Round.POSITIONS, jnp.arange(batch, dtype=jnp.int32), index)
        mines = materialize(jnp.asarray(bitboard.pack(beliefs.mines)))
        after = jax.lax.cond(
            numbers,
            lambda: show(positions, mines, prospects.candidates, index, there),
            lambda: tosses.suppose(positions, mines, index, there),
        )
        after = _cleared(after, there | (turn == _Round.POSITIONS))
        found = materialize(
            device_exact.infer(materialize(frontier.reduce(after, trust_flags=True)))
        )
        served = there & (found.status != Status.BATCH_FULL)

        def begin():
            may = FiftyFifties.of(positions, found, wanted(found)) if with_tosses else tosses
            return found, may, prospects, left

        def toss():
            return beliefs, tosses.told(index, served, found, beliefs.log_layouts), prospects, left

        def go_on():
            known = prospects.told(index, served, found, judge(found, after))
            hopeful = known.hopeful(beliefs.log_layouts)[:, None]
            return beliefs, tosses, known, known.candidates.shows & ~known.asked & hopeful

        beliefs, tosses, prospects, left = jax.lax.switch(turn, (begin, toss, go_on))
        ready = ~numbers & ~jnp.any(tosses.left)

        def choose():
            look = wanted(beliefs)
            candidates = CandidateArrays.of(positions, beliefs, tosses, look, within, most)
            return Outcomes.unknown(candidates), candidates.shows

        prospects, left = jax.lax.cond(ready, choose, lambda: (prospects, left))
        turn = jnp.where(ready | numbers, _Round.NUMBERS, _Round.TOSSES).astype(jnp.int32)
        return turn, beliefs, tosses, prospects, left

    none = jnp.zeros((most, batch), jnp.int32)
    zero = none.astype(jnp.float32)
    nothing = CandidateArrays(none, none, zero, zero, jnp.zeros((most, NUMBERS, batch), bool))
    start = (
        jnp.asarray(_Round.POSITIONS, jnp.int32),
        Beliefs.unknown(positions),
        FiftyFifties.none(positions),
        Outcomes.unknown(nothing),
        nothing.shows,
    )
    _, beliefs, _, prospects, _ = jax.lax.while_loop(
        lambda state: (state[0] != _Round.NUMBERS) | jnp.any(state[4]), step, start
    )
    return beliefs, prospects
