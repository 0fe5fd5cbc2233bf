"""The plain sampler: mines laid anywhere, and layouts kept that every open number agrees with.

One sample lays all mines but one on the hidden cells. It serves all cells: for each, the last mine
is put there, or, where a mine lies already, on another cell drawn once for the sample. A cell's
belief is its share of the valid layouts among all, scaled so that the beliefs sum to the mines.

Which of all these layouts are valid is found at once. Each number lacks as many mines as it shows
above those around it. If one lacks two or more, or has too many, no last mine helps. Else the last
mine must lie next to every number that lacks one, and next to none that lacks nothing.

The more of a board is open, the fewer samples agree with it, until none do: then the engine says
that its budget ended.
"""

import itertools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import batches, in_batches, reduce_positions, side_by_side, sizes_of
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.rules import bitboard, frontier
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import uniform_integer

SAMPLES = 4096
"""Samples of one position in one call."""

CALLS = 2
"""Calls between two looks at what has been found: so many can run side by side."""

LANES = 2**17
"""Samples of all positions of one call."""

ENOUGH = 100
"""Effective valid samples below which nothing is said: one that is valid for many cells weighs as
many times one that is valid for a single cell, and those are rare."""

CAPACITIES = (64, 128, 512, 2048)
"""Hidden cells, and open numbers next to them, that a kernel has places for."""


class Rejection(AbstractEngine):
    """Estimates with standard errors, while enough random layouts agree with the position."""

    tolerance: float = 0.01
    """A position is done when no cell's belief moved by more than this in the last call,"""
    samples: int = 2**20
    """or after so many samples: then its larger errors tell."""

    def __check_init__(self):
        """Without a sample there is nothing to say."""
        if self.samples < 1:
            raise ValueError("at least one sample is needed")

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Beliefs of a batch."""
        host = jax.device_get(positions)
        hidden = bitboard.unpack_batch(host.hidden)
        reduced = reduce_positions(host)
        consistent = np.asarray(reduced.consistent) & (host.mines <= sizes_of(host.hidden))
        # Without mines there is nothing to lay.
        showing = np.any([plane.any((0, 1)) for plane in host.numbers], axis=0)
        consistent &= (host.mines > 0) | ~showing
        cells, numbers = sizes_of(host.hidden), shown(host)
        # Where no number speaks, all cells are alike.
        alike = (host.mines == 0) | (numbers == 0)
        density = np.where(alike, host.mines / np.maximum(cells, 1), 0.0)
        status = np.where(alike, Status.ESTIMATE, Status.OVER_CAPACITY)
        status = np.where(consistent, status, Status.INCONSISTENT)
        chance = np.where(hidden, density[:, None, None], 0.0).astype(np.float32)
        error = np.zeros(hidden.shape, np.float32)
        size, below = np.maximum(cells, numbers), 0
        for capacity in CAPACITIES:
            wanted = consistent & ~alike & (size > below) & (size <= capacity)
            chosen = np.nonzero(wanted)[0]
            self._run(host, seeds, (cells, numbers), chosen, capacity, (chance, error, status))
            below = capacity
        return Beliefs.build(
            status=status,
            mine_probability=chance,
            safe=bitboard.unpack_batch(reduced.certain.safe),
            mines=bitboard.unpack_batch(reduced.certain.mines),
            error=error,
        )

    def _run(
        self,
        host: Position,
        seeds: UInt32[np.ndarray, " batch"],
        sizes: tuple[Int[np.ndarray, " batch"], Int[np.ndarray, " batch"]],
        chosen: Int[np.ndarray, " some"],
        capacity: int,
        grids: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        """Samples positions of one size until each has reduced, and writes what was found."""
        chance, error, status = grids
        place = np.zeros(len(host.mines), np.int64)
        place[chosen] = np.arange(len(chosen))
        tallies, before = Tally.nothing(len(chosen), capacity), np.zeros((len(chosen), capacity))

        def work(job: tuple[np.ndarray, int]) -> Tally:
            which, call = job
            part = jax.tree.map(lambda leaf: leaf[..., which], host)
            most = (np.int32(sizes[0][which].max()), np.int32(sizes[1][which].max()))
            return jax.device_get(sample_batch(part, seeds[which], np.int32(call), most, capacity))

        active, looks = chosen, 0
        while len(active):
            parts = list(batches(active, LANES // SAMPLES))
            jobs = [(which, looks * CALLS + i) for which, _ in parts for i in range(CALLS)]
            found, going = iter(side_by_side(work, jobs)), []
            for which, real in parts:
                own = which[:real]
                for new in itertools.islice(found, CALLS):
                    tallies.add(place[own], jax.tree.map(lambda leaf, r=real: leaf[:r], new))
                mean, spread = tallies.moments(place[own], np.asarray(host.mines)[own])
                moved = np.abs(mean - before[place[own]]).max(1)
                before[place[own]] = mean
                effective, drawn = tallies.effective(place[own]), (looks + 1) * CALLS * SAMPLES
                enough = effective >= ENOUGH
                # Three more than were seen could have been: if even they were too few, stop.
                hopeless = (effective + 3) * self.samples / drawn < ENOUGH
                done = enough & (moved <= self.tolerance) | hopeless | (drawn >= self.samples)
                told = np.nonzero(done & enough)[0]
                # Lists and grids have the hidden cells in the same order.
                position, row, col = np.nonzero(bitboard.unpack_batch(host.hidden[..., own[told]]))
                there = np.arange(capacity) < sizes[0][own[told], None]
                at = (own[told][position], row, col)
                chance[at], error[at] = mean[told][there], spread[told][there]
                status[own[told]] = Status.ESTIMATE
                going.append(own[~done])
            active, looks = np.concatenate(going), looks + 1


class Tally(eqx.Module):
    """What the samples of a position have shown; or of a batch, first."""

    valid: Float[Array | np.ndarray, "*batch cells"]
    """Samples with a valid layout for the cell."""
    valid_by_total: Float[Array | np.ndarray, "*batch cells"]
    """The same, each sample times the cells it is valid for."""
    total: Float[Array | np.ndarray, "*batch"]
    total_squares: Float[Array | np.ndarray, "*batch"]
    accepted: Int[Array | np.ndarray, "*batch"]
    """Samples valid for any cell."""

    @classmethod
    def nothing(cls, batch: int, cells: int) -> "Tally":
        """Before the first sample."""
        return cls(
            np.zeros((batch, cells)),
            np.zeros((batch, cells)),
            np.zeros(batch),
            np.zeros(batch),
            np.zeros(batch, np.int32),
        )

    def add(self, own: Int[np.ndarray, " some"], new: "Tally") -> None:
        """Counts more samples of some positions in; on the host, where tallies are kept."""
        for whole, part in zip(jax.tree.leaves(self), jax.tree.leaves(new), strict=True):
            whole[own] += part

    def effective(self, own: Int[np.ndarray, " some"]) -> Float[np.ndarray, " some"]:
        """So many valid samples of equal weight would tell as much."""
        total, squares = np.asarray(self.total)[own], np.asarray(self.total_squares)[own]
        return total**2 / np.maximum(squares, 1.0)

    def moments(
        self, own: Int[np.ndarray, " some"], mines: Int[np.ndarray, " some"]
    ) -> tuple[Float[np.ndarray, "some cells"], Float[np.ndarray, "some cells"]]:
        """Beliefs and standard errors: of a ratio of sums over samples that are independent."""
        valid, by_total, total, squares, _ = (leaf[own] for leaf in jax.tree.leaves(self))
        mines, total = mines[:, None], np.maximum(total, 1.0)[:, None]
        mean = mines * valid / total
        spread = mines**2 * valid - 2 * mines * mean * by_total + mean**2 * squares[:, None]
        # What no valid sample showed may still be: in about one of as many again.
        unseen = 1.0 / np.maximum(self.effective(own), 1.0)[:, None]
        return np.minimum(mean, 1.0), np.sqrt(np.maximum(spread, 0.0) / total**2 + unseen**2)


def shown(positions: Position) -> Int[np.ndarray, " batch"]:
    """How many open numbers are next to hidden cells."""
    return in_batches(_shown_batch, positions)


@jax.jit
def _shown_batch(positions: Position) -> Int[Array, " batch"]:
    def one(position: Position) -> Int[Array, ""]:
        return bitboard.count(position.opened & bitboard.dilate(position.hidden))

    return jax.vmap(one, in_axes=-1, out_axes=-1)(positions)


@partial(jax.jit, static_argnames="capacity")
def sample_batch(
    positions: Position,
    seeds: UInt32[Array, " batch"],
    call: Int[Array, ""] | np.int32,
    most: tuple[Int[Array, ""] | np.int32, Int[Array, ""] | np.int32],
    capacity: int,
) -> Tally:
    """`sample` for a batch; `most` are the most hidden cells and numbers of any position."""

    def one(position: Position, seed: UInt32[Array, ""]) -> Tally:
        key = jax.random.fold_in(jax.random.key(seed), call)
        return sample(position, key, most, capacity)

    first = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, -1, 0), positions)
    return jax.vmap(one)(first, seeds)


def sample(
    position: Position,
    key: Key[Array, ""],
    most: tuple[Int[Array, ""] | np.int32, Int[Array, ""] | np.int32],
    capacity: int,
) -> Tally:
    """Many samples of one position, tallied. Lists are over the hidden cells in reading order."""
    cells = frontier.places(position.hidden, capacity)
    numbers = frontier.places(position.opened & bitboard.dilate(position.hidden), capacity)
    around = frontier.incidence(cells, numbers)  # [numbers, words]
    want = frontier.read(position.numbers, numbers)
    want = jnp.where(numbers[0] != frontier.FAR, want, 0)
    laid, last = lay(key, bitboard.count(position.hidden), position.mines, most[0], capacity)

    def test(j, state):
        """Number j: whether it can be met at all, and which last mines then meet it."""
        ruled_out, helps = state
        have = jax.lax.population_count(laid & around[j][:, None])
        lacks = want[j] - jnp.sum(have, axis=0, dtype=jnp.uint32).astype(jnp.int32)
        near = jnp.where(lacks[None, :] == 1, around[j][:, None], ~around[j][:, None])
        return ruled_out | (lacks < 0) | (lacks > 1), helps & near

    start = (jnp.zeros((SAMPLES,), bool), ~laid)
    ruled_out, helps = jax.lax.fori_loop(0, most[1], test, start)
    there = jnp.asarray(bitboard.pack((cells[0] != frontier.FAR)[None, :]))[0]
    helps = jnp.where(ruled_out[None, :], jnp.uint32(0), helps & there[:, None])
    # A cell that has a mine already shares the one layout with the last mine elsewhere.
    elsewhere = jnp.any((helps & last) != 0, axis=0)
    valid = helps | jnp.where(elsewhere[None, :], laid, jnp.uint32(0))
    total = jnp.sum(jax.lax.population_count(valid), axis=0, dtype=jnp.uint32).astype(jnp.float32)
    bits = jnp.arange(bitboard.WORD, dtype=jnp.uint32)[None, :, None]
    of_cells = ((valid[:, None, :] >> bits) & jnp.uint32(1)).reshape(capacity, SAMPLES)
    tallied = jnp.matmul(
        of_cells.astype(jnp.float32),
        jnp.stack([jnp.ones_like(total), total], axis=1),
        precision=jax.lax.Precision.HIGHEST,
    )
    return Tally(
        valid=tallied[:, 0],
        valid_by_total=tallied[:, 1],
        total=jnp.sum(total),
        total_squares=jnp.sum(total**2),
        accepted=jnp.sum(total > 0, dtype=jnp.int32),
    )


def lay(
    key: Key[Array, ""],
    cells: Int[Array, ""],
    mines: Int[Array, ""],
    most: Int[Array, ""] | np.int32,
    capacity: int,
) -> tuple[UInt32[Array, "words samples"], UInt32[Array, "words samples"]]:
    """All mines but one on the first `cells` places of a list, and the last one apart.

    By selection sampling, as a deal: of the places still to come, each mine still to lay takes one,
    and so does the last mine. No place past `most` is one of the cells.
    """

    def at(i, state):
        to_lay, last_to_lay, laid, last = state
        draw = jax.random.bits(jax.random.fold_in(key, i), (SAMPLES,), jnp.uint32)
        to_come = jnp.maximum(cells - i, 1).astype(jnp.uint32)
        rank = uniform_integer(draw, jnp.broadcast_to(to_come, draw.shape))
        here = i < cells
        mine = here & (rank < to_lay)
        is_last = here & ~mine & (rank < to_lay + last_to_lay)
        word, bit = i // bitboard.WORD, (i % bitboard.WORD).astype(jnp.uint32)

        def put(masks, these):
            row = jax.lax.dynamic_index_in_dim(masks, word, 0, False)
            row |= these.astype(jnp.uint32) << bit
            return jax.lax.dynamic_update_index_in_dim(masks, row, word, 0)

        return (
            to_lay - mine.astype(jnp.uint32),
            last_to_lay - is_last.astype(jnp.uint32),
            put(laid, mine),
            put(last, is_last),
        )

    nothing = jnp.zeros((capacity // bitboard.WORD, SAMPLES), jnp.uint32)
    start = (
        jnp.broadcast_to(mines.astype(jnp.uint32) - jnp.uint32(1), (SAMPLES,)),
        jnp.ones((SAMPLES,), jnp.uint32),
        nothing,
        nothing,
    )
    return jax.lax.fori_loop(0, most, at, start)[2:]
