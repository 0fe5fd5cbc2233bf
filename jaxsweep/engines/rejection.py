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

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from jaxsweep import bitboard, frontier
from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.bitboard import Bits
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import batches, settle, side_by_side, sizes_of
from jaxsweep.position import Position

SAMPLES = 4096
"""Samples of one position in one call."""

CALLS = 2
"""Calls between two looks at what has been found: so many can run side by side."""

LANES = 2**17
"""Samples of all positions of one call."""

ENOUGH = 100
"""Effective valid samples below which nothing is said: one that is valid for many cells weighs as
many times one that is valid for a single cell, and those are rare."""

TIERS = (64, 128, 512, 2048)
"""Hidden cells, and open numbers next to them, that a kernel has places for."""


class Rejection(AbstractEngine):
    """Estimates with standard errors, while enough random layouts agree with the position."""

    tolerance: float = 0.01
    """A position is done when no cell's belief moved by more than this in the last call,"""
    samples: int = 2**20
    """or after so many samples: then its larger errors tell."""

    def believe(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Beliefs of a batch."""
        host = jax.device_get(positions)
        hidden = bitboard.unpack_batch(host.hidden)
        consistent = np.asarray(settle(host).consistent) & (host.mines <= sizes_of(host.hidden))
        # Without mines there is nothing to lay.
        showing = np.any([plane.any((0, 1)) for plane in host.numbers], axis=0)
        consistent &= (host.mines > 0) | ~showing
        status = np.where(consistent, Status.OVER_CAPACITY, Status.INCONSISTENT)
        status[consistent & (host.mines == 0)] = Status.ESTIMATE
        chance = np.zeros(hidden.shape, np.float32)
        error = np.zeros(hidden.shape, np.float32)
        size, below = np.maximum(sizes_of(host.hidden), sizes_of(shown(host))), 0
        for capacity in TIERS:
            wanted = consistent & (host.mines > 0) & (size > below) & (size <= capacity)
            self._run(host, seeds, np.nonzero(wanted)[0], capacity, (chance, error, status))
            below = capacity
        nothing = np.zeros(hidden.shape, bool)
        return Beliefs(
            mine_probability=chance,
            error=error,
            safe=nothing,
            mines=nothing,
            log_layouts=np.full(len(status), -np.inf),
            status=status.astype(np.int32),
        )

    def _run(
        self,
        host: Position,
        seeds: UInt32[np.ndarray, " batch"],
        chosen: Int[np.ndarray, " some"],
        capacity: int,
        grids: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        """Samples positions of one size until each has settled, and writes what was found."""
        chance, error, status = grids
        most = (
            np.int32(sizes_of(host.hidden[..., chosen]).max(initial=0)),
            np.int32(sizes_of(shown(host)[..., chosen]).max(initial=0)),
        )
        tallies = Tally.nothing(len(host.mines), capacity)
        before = np.zeros((len(host.mines), capacity))

        def work(job: tuple[np.ndarray, int]) -> Tally:
            which, call = job
            part = jax.tree.map(lambda leaf: leaf[..., which], host)
            return jax.device_get(sample_batch(part, seeds[which], np.int32(call), most, capacity))

        active, looks = chosen, 0
        while len(active):
            parts = list(batches(active, LANES // SAMPLES))
            jobs = [(which, looks * CALLS + i) for which, _ in parts for i in range(CALLS)]
            found, going = side_by_side(work, jobs), []
            for i, (which, real) in enumerate(parts):
                own = which[:real]
                for new in found[i * CALLS : (i + 1) * CALLS]:
                    tallies.add(own, jax.tree.map(lambda leaf, real=real: leaf[:real], new))
                mean, spread = tallies.moments(own, np.asarray(host.mines)[own])
                moved = np.abs(mean - before[own]).max(1)
                before[own] = mean
                enough = tallies.effective(own) >= ENOUGH
                ended = (looks + 1) * CALLS * SAMPLES >= self.samples
                done = enough & (moved <= self.tolerance) | ended
                for i in np.nonzero(done & enough)[0]:
                    places = np.argwhere(bitboard.unpack_batch(host.hidden[..., own[i : i + 1]])[0])
                    at = (own[i], *places.T)
                    chance[at], error[at] = mean[i, : len(places)], spread[i, : len(places)]
                    status[own[i]] = Status.ESTIMATE
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


@jax.jit
def shown(positions: Position) -> UInt32[Array, "rows words batch"]:
    """The open numbers next to hidden cells."""

    def one(position: Position) -> Bits:
        return position.opened & bitboard.dilate(position.hidden)

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
    tallied = of_cells.astype(jnp.float32) @ jnp.stack([jnp.ones_like(total), total], axis=1)
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
        rank = jax.lax.mulhi(draw, jnp.broadcast_to(to_come, draw.shape))
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
