"""The chain sampler: from consistent layout to consistent layout, many chains side by side.

A chain's layout is renewed as a whole, by particle Gibbs with ancestor sampling. All boundary cells
are walked in order by 32 particles, each a partial layout that no number contradicts. At every cell
each particle is drawn anew from all ways to go on, a mine there or none, from any of them. One
particle is bound to follow the chain's present layout, but may change its past for that of another
with the same needs. The mine count closes the walk: a layout weighs as many ways as there are to
lay the remaining mines on the free cells, and the next layout of the chain is drawn by weight. This
leaves the uniform distribution over all layouts as it is, however few the particles; so chains
that follow it have no bias to wait out but that of their start.

Every sweep's weighted particles count. The spread of the chains' means gives the standard error.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from jaxsweep.engines import component_engine, residuals
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import (
    BATCHES,
    BYTES,
    batches,
    reduce_positions,
    side_by_side,
    sizes_of,
)
from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.engines.component_engine import Component
from jaxsweep.engines.residuals import Transition
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position

PARTICLES = 32
"""As many as a word has bits: the ways to go on are one word of flags."""

ROUND = 8
"""Sweeps of one call; the first call is not counted."""

TRIES = 8
"""Walks without a layout to follow, before a position is given up."""

STARTS = 8
"""Chains that must have found a layout of their own: the spread of fewer tells no error."""

AT_ONCE = 512
"""Positions whose chains are kept in memory side by side."""

WORK = 2**19
"""Key words that a particle walks past at most, over all sweeps: bounds the time of a position."""

CAPACITIES = ((32, 2), (64, 3), (128, 4), (512, 8), (512, 64), (2048, 16), (2048, 256))
"""Boundary cells, and as many numbers, and key words that a kernel has places for."""


class Chains(AbstractEngine):
    """Estimates with standard errors, of positions of any size; never certain by itself."""

    chains: int = eqx.field(static=True, default=64)
    tolerance: float = 0.005
    """A position is done when no cell's standard error is above this,"""
    sweeps: int = 2048
    """or after so many sweeps, of large positions fewer: then its larger errors tell."""

    def __check_init__(self):
        """One chain has no spread, and no sweep says nothing."""
        if self.chains < STARTS or self.sweeps < ROUND:
            raise ValueError(f"at least {STARTS} chains and {ROUND} sweeps are needed")

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Beliefs of a batch."""
        reduced = reduce_positions(positions)
        edges, fits = component_engine.find_components(reduced)
        walks, report = edges.by_position(), _Report(reduced, fits)
        waiting = np.arange(len(walks))
        for cells, words in CAPACITIES:
            small = np.maximum(walks.cells, walks.numbers)[waiting] <= cells
            chosen = waiting[small]
            # Positions of like size walk in step.
            chosen = chosen[np.argsort(walks.cells[chosen], kind="stable")]
            held = [
                self._run(walks, chosen[i : i + AT_ONCE], seeds, (cells, words), report)
                for i in range(0, len(chosen), AT_ONCE)
            ]
            waiting = np.concatenate([waiting[~small], *held])
        report.give_up(walks.position[waiting])
        return report.beliefs()

    def _run(
        self,
        walks: component_engine.ComponentIndex,
        which: Int[np.ndarray, " some"],
        seeds: UInt32[np.ndarray, " batch"],
        tier: tuple[int, int],
        report: "_Report",
    ) -> Int[np.ndarray, " over"]:
        """Samples these positions, and returns those that have too many numbers under way."""
        cells, words = tier
        # Not the largest batches: chains keep a core busy by themselves, and walk in step.
        walking = self.chains * PARTICLES * (words + cells // bitboard.WORD + 4)
        room = BYTES // (64 * (walking + cells * cells))
        most = min(room, BATCHES[1])
        size, budget = len(which), min(self.sweeps, max(4 * ROUND, WORK // (cells * words)))
        layouts = np.zeros((size, self.chains, cells // bitboard.WORD), np.uint32)
        sums = np.zeros((size, self.chains, cells + 1))
        starts, collides = np.zeros(size, np.int32), np.zeros(size, bool)

        def work(job: tuple[Problem, np.ndarray, int]):
            problem, part, rounds = job
            if rounds == 0:
                return jax.device_get(_begin(problem, self.chains, words))
            return jax.device_get(_round(problem, layouts[part], np.int32(rounds), words))

        active, rounds = np.arange(size), 0
        while len(active):
            parts = list(batches(active, most))
            problems = [self._problem(walks, which[part], seeds, report, tier) for part, _ in parts]
            jobs = [(one, part, rounds) for one, (part, _) in zip(problems, parts, strict=True)]
            results, going = side_by_side(work, jobs), []
            for (part, real), result in zip(parts, results, strict=True):
                own = part[:real]
                layouts[own] = result[0][:real]
                if rounds == 0:
                    starts[own], collides[own] = result[1][:real], result[2][:real]
                    going.append(own[(starts[own] > 0) & ~collides[own]])
                    continue
                sums[own] += result[1][:real] if rounds > 1 else 0.0
                sweeps = (rounds - 1) * ROUND
                mean, error = _moments(sums[own], sweeps)
                error[starts[own] < STARTS] = np.inf
                done = (sweeps > 0) & (error.max(1) <= self.tolerance) | (sweeps >= budget)
                report.write(walks, which[own[done]], mean[done], error[done])
                going.append(own[~done])
            active, rounds = np.concatenate(going), rounds + 1
        report.give_up(walks.position[which[(starts == 0) & ~collides]])
        return which[collides]

    def _problem(
        self,
        walks: component_engine.ComponentIndex,
        which: Int[np.ndarray, " some"],
        seeds: UInt32[np.ndarray, " batch"],
        report: "_Report",
        tier: tuple[int, int],
    ) -> "Problem":
        """What a kernel needs of these positions."""
        cells, _ = tier
        position = walks.position[which]
        return Problem(
            edge=walks.pad(which, cells, cells),
            length=jnp.asarray(walks.cells[which].max(), jnp.int32),
            mines=jnp.asarray(report.mines[position]),
            free=jnp.asarray(report.free[position]),
            boundary=jnp.asarray(report.boundary[position]),
            seed=jnp.asarray(seeds[position]),
        )


class Problem(eqx.Module):
    """A batch of positions, each one walk over its boundary."""

    edge: Component
    length: Int[Array, ""]
    mines: Int[Array, " batch"]
    free: Int[Array, " batch"]
    boundary: Int[Array, " batch"]
    seed: UInt32[Array, " batch"]

    def odds(self) -> Float[Array, " batch"]:
        """Of a mine, at the density of the position: what a particle expects of a cell."""
        mines = self.mines.astype(jnp.float32) + 0.5
        return mines / jnp.maximum((self.boundary + self.free).astype(jnp.float32) + 1 - mines, 0.5)

    def log_closing(self) -> Float[Array, "batch counts"]:
        """The logarithm of what a walk with k mines weighs, beyond what its particles expect."""
        k = jnp.arange(self.edge.cell_row.shape[1] + 1, dtype=jnp.int32)[None, :]
        rest = self.mines[:, None] - k
        spare = self.free[:, None] - rest
        possible = (rest >= 0) & (spare >= 0)
        # A sum of the logarithms of ratios of neighbours: these are small, and so is the rounding.
        both = possible[:, :-1] & possible[:, 1:]
        ratio = rest[:, :-1].astype(jnp.float32) / (spare[:, :-1] + 1).astype(jnp.float32)
        growth = jnp.log(jnp.where(both, ratio, 1.0)) - jnp.log(self.odds())[:, None]
        logs = jnp.cumsum(jnp.where(both, growth, 0.0), axis=1)
        return jnp.where(possible, jnp.pad(logs, ((0, 0), (1, 0))), -jnp.inf)


class _Walk(NamedTuple):
    """The particles of one chain, between two cells; particles are last."""

    keys: UInt32[Array, "words particles"]
    masks: UInt32[Array, "mask_words particles"]
    mines: Int[Array, " particles"]
    rest: Int[Array, ""]
    """Mines still to come in the layout that is followed."""
    alive: Bool[Array, ""]


@partial(jax.jit, static_argnames=("chains", "words"))
def _begin(problem: Problem, chains: int, words: int):
    """A layout for each chain to begin with, how many found one, and where keys are too short."""
    steps, collides = jax.vmap(partial(residuals.cell_by_cell, words=words))(problem.edge)
    mask_words = problem.edge.cell_row.shape[1] // bitboard.WORD
    batch = problem.seed.shape[0]

    def attempt(state):
        i, layouts, found = state
        keys = _keys(problem.seed, i)
        nothing = jnp.zeros_like(layouts)
        new, _, ok = _sweep(problem, steps, nothing, keys, follow=False)
        better = ok & ~found
        return i + 1, jnp.where(better[..., None], new, layouts), found | ok

    nothing = jnp.zeros((batch, chains, mask_words), jnp.uint32)
    _, layouts, found = jax.lax.while_loop(
        lambda state: (state[0] < TRIES) & ~jnp.all(state[2]),
        attempt,
        (jnp.int32(0), nothing, jnp.zeros((batch, chains), bool)),
    )
    # A chain that found none takes the layout of the first that did.
    first = jnp.argmax(found, axis=1)
    borrowed = jnp.take_along_axis(layouts, first[:, None, None], axis=1)
    own = jnp.sum(found, axis=1, dtype=jnp.int32)
    return jnp.where(found[..., None], layouts, borrowed), own, collides


@partial(jax.jit, static_argnames="words")
def _round(problem: Problem, layouts: UInt32[Array, "batch chains words"], number, words: int):
    """So many sweeps of all chains, and the sum of what they said of every cell."""
    steps, _ = jax.vmap(partial(residuals.cell_by_cell, words=words))(problem.edge)
    batch, chains, _ = layouts.shape
    sums = jnp.zeros((batch, chains, problem.edge.cell_row.shape[1] + 1), jnp.float32)

    def sweep(i, state):
        layouts, sums = state
        keys = _keys(problem.seed, TRIES + number * ROUND + i)
        layouts, seen, _ = _sweep(problem, steps, layouts, keys, follow=True)
        return layouts, sums + seen

    return jax.lax.fori_loop(0, ROUND, sweep, (layouts, sums))


def _keys(seeds: UInt32[Array, " batch"], number: Int[Array, ""]) -> Key[Array, " batch"]:
    return jax.vmap(lambda seed: jax.random.fold_in(jax.random.key(seed), number))(seeds)


def _sweep(
    problem: Problem,
    steps: Transition,
    layouts: UInt32[Array, "batch chains words"],
    keys: Key[Array, " batch"],
    follow: bool,
):
    """One walk of all chains of all positions, loops outside and particles inside.

    Returns the new layouts, what the particles say of every cell and of the mines on free cells,
    and which walks came to an end.
    """
    batch, chains, mask_words = layouts.shape
    shape = (batch, chains)
    by_cell = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 1, 0), steps)
    odds, log_closing = problem.odds(), problem.log_closing()
    mines = jnp.sum(jax.lax.population_count(layouts), axis=-1, dtype=jnp.uint32)
    words = steps.touch.shape[-1]

    def walk(i, state: _Walk) -> _Walk:
        step = jax.tree.map(lambda leaf: jax.lax.dynamic_index_in_dim(leaf, i, 0, False), by_cell)
        word = jax.lax.dynamic_index_in_dim(layouts, i // bitboard.WORD, 2, False)
        mine = ((word >> (i % bitboard.WORD).astype(jnp.uint32)) & jnp.uint32(1)) != 0
        draws = jax.vmap(
            lambda key: jax.random.uniform(jax.random.fold_in(key, i), (chains, PARTICLES + 1))
        )(keys)
        each = jax.vmap(partial(_step, i, follow), in_axes=(None, None, None, 0, 0, 0))
        return jax.vmap(each)(step, odds, log_closing, mine, draws, state)

    start = _Walk(
        keys=jnp.zeros((*shape, words, PARTICLES), jnp.uint32),
        masks=jnp.zeros((*shape, mask_words, PARTICLES), jnp.uint32),
        mines=jnp.zeros((*shape, PARTICLES), jnp.int32),
        rest=mines.astype(jnp.int32),
        alive=jnp.ones(shape, bool),
    )
    end = jax.lax.fori_loop(0, problem.length, walk, start)
    draws = jax.vmap(lambda key: jax.random.uniform(jax.random.fold_in(key, 2**20), (chains,)))(
        keys
    )
    each = jax.vmap(_close, in_axes=(None, None, None, 0, 0))
    return jax.vmap(each)(log_closing, problem.mines, problem.free, draws, end)


def _step(
    i: Int[Array, ""],
    follow: bool,
    step: Transition,
    odds: Float[Array, ""],
    log_closing: Float[Array, " counts"],
    mine: Bool[Array, ""],
    draws: Float[Array, " draws"],
    walk: _Walk,
) -> _Walk:
    """Takes the particles of one chain past one cell."""
    entered = walk.keys + step.enter[:, None]
    clear = residuals.can_end(entered, step.room[:, None], axis=0)
    taken, can_take = residuals.take(entered, step.touch[:, None], axis=0)
    mined = can_take & step.exists & residuals.can_end(taken, step.room[:, None], axis=0)
    # All ways to go on, one draw a particle: first whether to a mine, then from which particle.
    ways_clear, ways_mined = _flags(clear), _flags(mined)
    many_clear, many_mined = (_count(ways).astype(jnp.float32) for ways in (ways_clear, ways_mined))
    draw = draws[:PARTICLES] * (many_clear + odds * many_mined)
    to_mine = (draw >= many_clear) & (many_mined > 0)
    among = jnp.where(to_mine, (draw - many_clear) / odds, draw)
    most = jnp.where(to_mine, many_mined, many_clear) - 1
    rank = jnp.clip(jnp.floor(among), 0, jnp.maximum(most, 0)).astype(jnp.int32)
    parent = bitboard.nth_bit(jnp.where(to_mine, ways_mined, ways_clear), rank).astype(jnp.int32)
    if follow:
        # The first particle follows the layout, from any past with the same needs: proposed at
        # random among those, and taken by the weight that the mine count gives it.
        alike = _flags(jnp.all(walk.keys == walk.keys[:, :1], axis=0))
        rank = jnp.floor(draws[0] * _count(alike).astype(jnp.float32)).astype(jnp.int32)
        past = bitboard.nth_bit(alike, jnp.minimum(rank, _count(alike) - 1)).astype(jnp.int32)
        now, then = (
            log_closing[walk.mines[0] + walk.rest],
            log_closing[walk.mines[past] + walk.rest],
        )
        past = jnp.where(jnp.log(draws[PARTICLES]) < then - now, past, 0)
        first = jnp.arange(PARTICLES) == 0
        parent = jnp.where(first, past, parent)
        to_mine = jnp.where(first, mine, to_mine)
    # Past the end of a shorter walk nothing moves: a position's draws are its own.
    parent = jnp.where(step.exists, parent, jnp.arange(PARTICLES, dtype=jnp.int32))
    mines = (to_mine & step.exists).astype(jnp.uint32)
    word = (jnp.arange(walk.masks.shape[0]) == i // bitboard.WORD).astype(jnp.uint32)
    bit = mines << (i % bitboard.WORD).astype(jnp.uint32)
    return _Walk(
        keys=entered[:, parent] - mines[None, :] * step.touch[:, None],
        masks=walk.masks[:, parent] | word[:, None] * bit[None, :],
        mines=walk.mines[parent] + mines.astype(jnp.int32),
        rest=walk.rest - mine.astype(jnp.int32),
        alive=walk.alive & ((ways_clear | ways_mined) != 0),
    )


def _flags(these: Bool[Array, " particles"]) -> UInt32[Array, ""]:
    return jnp.asarray(bitboard.pack(these[None, :]))[0, 0]


def _count(flags: UInt32[Array, ""]) -> Int[Array, ""]:
    return jax.lax.population_count(flags).astype(jnp.int32)


def _close(
    log_closing: Float[Array, " counts"],
    mines: Int[Array, ""],
    free: Int[Array, ""],
    draw: Float[Array, ""],
    walk: _Walk,
) -> tuple[UInt32[Array, " words"], Float[Array, " cells_and_free"], Bool[Array, ""]]:
    """Weighs the particles by the mine count, sums them up, and draws the next layout."""
    logs = log_closing[walk.mines]
    top = jnp.max(logs)
    ended = walk.alive & jnp.isfinite(top)
    weight = jnp.where(jnp.isfinite(logs), jnp.exp(logs - jnp.where(ended, top, 0.0)), 0.0)
    share = weight / jnp.maximum(jnp.sum(weight), jnp.finfo(jnp.float32).tiny)
    up_to = jnp.cumsum(share)
    chosen = jnp.minimum(jnp.sum(up_to <= draw * up_to[-1], dtype=jnp.int32), PARTICLES - 1)
    cells = walk.masks.shape[0] * bitboard.WORD
    laid = jnp.asarray(bitboard.unpack(walk.masks.T, cells)).astype(jnp.float32)
    on_free = (mines - walk.mines).astype(jnp.float32) / jnp.maximum(free, 1).astype(jnp.float32)
    of_cells = jnp.matmul(share, laid, precision=jax.lax.Precision.HIGHEST)
    said = jnp.concatenate([of_cells, jnp.sum(share * on_free)[None]])
    return walk.masks[:, chosen], said, ended


def _moments(
    sums: Float[np.ndarray, "batch chains cells"], sweeps: int
) -> tuple[Float[np.ndarray, "batch cells"], Float[np.ndarray, "batch cells"]]:
    """Means, and their standard errors by the spread of the chains.

    What was never seen may still be: an event of which n draws saw nothing has a chance of about
    1/n at most.
    """
    means = sums / max(sweeps, 1)
    chains = sums.shape[1]
    error = np.sqrt(means.var(1, ddof=1) / chains + (1.0 / (max(sweeps, 1) * chains)) ** 2)
    return means.mean(1), error


class _Report:
    """The beliefs in the making."""

    def __init__(self, reduced: ReducedPosition, fits: Bool[np.ndarray, " positions"]):
        self.mines = np.asarray(reduced.mines_left, np.int32)
        self.free, self.boundary = sizes_of(reduced.unconstrained), sizes_of(reduced.boundary)
        self.is_free = bitboard.unpack_batch(reduced.unconstrained)
        self.safe = bitboard.unpack_batch(reduced.certain.safe)
        self.certain_mines = bitboard.unpack_batch(reduced.certain.mines)
        possible = component_engine.is_possible(reduced)
        possible &= (self.boundary > 0) | (self.mines <= self.free)
        self.status = np.where(fits, Status.ESTIMATE, Status.OVER_CAPACITY)
        self.status = np.where(possible, self.status, Status.INCONSISTENT)
        density = np.where(self.boundary == 0, self.mines / np.maximum(self.free, 1), 0.0)
        self.chance = np.where(self.is_free, density[:, None, None], self.certain_mines)
        self.error = np.zeros_like(self.chance)

    def give_up(self, positions: Int[np.ndarray, " some"]) -> None:
        """No layout was found for these."""
        self.status[positions] = Status.OVER_CAPACITY

    def write(
        self,
        walks: component_engine.ComponentIndex,
        which: Int[np.ndarray, " some"],
        mean: Float[np.ndarray, "some cells_and_free"],
        error: Float[np.ndarray, "some cells_and_free"],
    ) -> None:
        """The means and errors of these walks' cells, and of free cells in the last place."""
        at, there = component_engine.cells_at(walks, which, mean.shape[1] - 1)
        own = walks.position[which]
        for grid, values in ((self.chance, mean), (self.error, error)):
            grid[at] = values[:, :-1][there]
            grid[own] = np.where(self.is_free[own], values[:, -1][:, None, None], grid[own])

    def beliefs(self) -> Beliefs:
        """What has been found."""
        return Beliefs.build(
            status=self.status,
            mine_probability=self.chance,
            safe=self.safe,
            mines=self.certain_mines,
            error=self.error,
        )
