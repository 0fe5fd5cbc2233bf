"""Particle Gibbs with ancestor sampling over the layouts of a position.

A Markov chain whose kernel renews the whole layout: a conditional sequential Monte Carlo sweep
(Andrieu, Doucet and Holenstein 2010, "Particle Markov chain Monte Carlo methods") with ancestor
sampling (Lindsten, Jordan and Schön 2014, "Particle Gibbs with ancestor sampling"). 32 particles
assign all boundary cells in order; each is a partial layout that no number contradicts. At every
cell each particle is resampled from all feasible extensions, with a mine or without, of any
particle. The reference particle follows the chain's present layout, but may take the ancestor of
another particle with the same residuals. At the end, particles are weighted by the number of ways
to place the remaining mines on the unconstrained cells, and the next layout is drawn by weight.

The kernel leaves the uniform distribution over all layouts invariant, however few the particles:
the only bias of a chain is that of its start. Chains are independent, and all of them, of a batch
of positions, advance together.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from jaxsweep.engines import residuals
from jaxsweep.engines.binomials import log_binomial_decrement, mine_odds
from jaxsweep.engines.components import Component
from jaxsweep.engines.residuals import Transition
from jaxsweep.rules import bitboard

PARTICLES = 32
"""As many as a word has bits: the feasible extensions are one word of flags."""

SWEEPS = 8
"""Sweeps of one call."""

ATTEMPTS = 8
"""Unconditional sweeps for a first layout, before a chain is given up."""


class Problem(eqx.Module):
    """A batch of positions, first: the whole boundary of each as one component."""

    component: Component
    length: Int[Array, ""]
    """The most cells of any position."""
    mines: Int[Array, " batch"]
    unconstrained: Int[Array, " batch"]
    boundary: Int[Array, " batch"]
    seed: UInt32[Array, " batch"]

    def odds(self) -> Float[Array, " batch"]:
        """Computes the odds of a mine at the mean density: the proposal of every particle."""
        return mine_odds(self.mines, self.boundary + self.unconstrained)

    def log_weights(self) -> Float[Array, "batch counts"]:
        """Computes the log weight of a boundary layout with k mines, relative to the proposal."""
        k = jnp.arange(self.component.cell_row.shape[1] + 1, dtype=jnp.int32)[None, :]
        rest = self.mines[:, None] - k
        possible = (rest >= 0) & (self.unconstrained[:, None] - rest >= 0)
        both = possible[:, :-1] & possible[:, 1:]
        decrement = log_binomial_decrement(self.unconstrained[:, None], rest[:, :-1], both)
        growth = decrement - jnp.log(self.odds())[:, None]
        logs = jnp.cumsum(jnp.where(both, growth, 0.0), axis=1)
        return jnp.where(possible, jnp.pad(logs, ((0, 0), (1, 0))), -jnp.inf)


class _Particles(NamedTuple):
    """The particles of one chain between two cells; particles are the last axis."""

    packed: UInt32[Array, "words particles"]
    """Residuals; see `residuals`."""
    masks: UInt32[Array, "mask_words particles"]
    """The cells with a mine."""
    mines: Int[Array, " particles"]
    reference_rest: Int[Array, ""]
    """Mines still to come in the reference layout."""
    alive: Bool[Array, ""]


@partial(jax.jit, static_argnames=("chains", "words"))
def initial_layouts(
    problem: Problem, chains: int, words: int
) -> tuple[UInt32[Array, "batch chains words"], Int[Array, " batch"], Bool[Array, " batch"]]:
    """Finds a first layout for each chain.

    Returns the layouts, how many chains of each position found their own, and which positions do
    not fit into packed states of so many `words`.
    """
    steps, collides = _transitions(problem, words)
    mask_words = problem.component.cell_row.shape[1] // bitboard.WORD
    batch = problem.seed.shape[0]

    def attempt(state):
        i, layouts, found = state
        keys = _keys(problem.seed, i)
        new, _, ok = _sweep(problem, steps, jnp.zeros_like(layouts), keys, conditional=False)
        better = ok & ~found
        return i + 1, jnp.where(better[..., None], new, layouts), found | ok

    empty = jnp.zeros((batch, chains, mask_words), jnp.uint32)
    _, layouts, found = jax.lax.while_loop(
        lambda state: (state[0] < ATTEMPTS) & ~jnp.all(state[2]),
        attempt,
        (jnp.int32(0), empty, jnp.zeros((batch, chains), bool)),
    )
    # A chain that found none takes the layout of the first that did.
    first = jnp.argmax(found, axis=1)
    borrowed = jnp.take_along_axis(layouts, first[:, None, None], axis=1)
    own = jnp.sum(found, axis=1, dtype=jnp.int32)
    return jnp.where(found[..., None], layouts, borrowed), own, collides


@partial(jax.jit, static_argnames="words")
def run_sweeps(
    problem: Problem, layouts: UInt32[Array, "batch chains mask_words"], call, words: int
) -> tuple[UInt32[Array, "batch chains mask_words"], Float[Array, "batch chains means"]]:
    """Runs `SWEEPS` sweeps of all chains; `call` numbers the calls, for the random streams.

    Returns the new layouts, and the sums over sweeps of the means of `_finish`.
    """
    steps, _ = _transitions(problem, words)
    batch, chains, _ = layouts.shape
    sums = jnp.zeros((batch, chains, problem.component.cell_row.shape[1] + 1), jnp.float32)

    def sweep(i, state):
        layouts, sums = state
        keys = _keys(problem.seed, ATTEMPTS + call * SWEEPS + i)
        layouts, means, _ = _sweep(problem, steps, layouts, keys, conditional=True)
        return layouts, sums + means

    return jax.lax.fori_loop(0, SWEEPS, sweep, (layouts, sums))


def _transitions(problem: Problem, words: int) -> tuple[Transition, Bool[Array, " batch"]]:
    return jax.vmap(partial(residuals.cell_transitions, words=words))(problem.component)


def _keys(seeds: UInt32[Array, " batch"], number: Int[Array, ""]) -> Key[Array, " batch"]:
    return jax.vmap(lambda seed: jax.random.fold_in(jax.random.key(seed), number))(seeds)


def _sweep(
    problem: Problem,
    steps: Transition,
    layouts: UInt32[Array, "batch chains mask_words"],
    keys: Key[Array, " batch"],
    conditional: bool,
):
    """Runs one sweep of all chains: conditional on their layouts, or not.

    Returns for each chain what `_finish` does: the new layout, the means, and whether any particle
    reached the end.
    """
    batch, chains, mask_words = layouts.shape
    shape = (batch, chains)
    by_cell = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 1, 0), steps)
    odds, log_weights = problem.odds(), problem.log_weights()
    mines = jnp.sum(jax.lax.population_count(layouts), axis=-1, dtype=jnp.uint32)
    words = steps.adjacent.shape[-1]

    # Loops are outside and particles inside, so that each operation is long.
    def advance(i, state: _Particles) -> _Particles:
        step = jax.tree.map(lambda leaf: jax.lax.dynamic_index_in_dim(leaf, i, 0, False), by_cell)
        word = jax.lax.dynamic_index_in_dim(layouts, i // bitboard.WORD, 2, False)
        mine = ((word >> (i % bitboard.WORD).astype(jnp.uint32)) & jnp.uint32(1)) != 0
        draws = jax.vmap(
            lambda key: jax.random.uniform(jax.random.fold_in(key, i), (chains, PARTICLES + 1))
        )(keys)
        each = jax.vmap(partial(_step, i, conditional), in_axes=(None, None, None, 0, 0, 0))
        return jax.vmap(each)(step, odds, log_weights, mine, draws, state)

    start = _Particles(
        packed=jnp.zeros((*shape, words, PARTICLES), jnp.uint32),
        masks=jnp.zeros((*shape, mask_words, PARTICLES), jnp.uint32),
        mines=jnp.zeros((*shape, PARTICLES), jnp.int32),
        reference_rest=mines.astype(jnp.int32),
        alive=jnp.ones(shape, bool),
    )
    end = jax.lax.fori_loop(0, problem.length, advance, start)
    draws = jax.vmap(lambda key: jax.random.uniform(jax.random.fold_in(key, 2**20), (chains,)))(
        keys
    )
    each = jax.vmap(_finish, in_axes=(None, None, None, 0, 0))
    return jax.vmap(each)(log_weights, problem.mines, problem.unconstrained, draws, end)


def _step(
    i: Int[Array, ""],
    conditional: bool,
    step: Transition,
    odds: Float[Array, ""],
    log_weights: Float[Array, " counts"],
    reference_mine: Bool[Array, ""],
    draws: Float[Array, " draws"],
    current: _Particles,
) -> _Particles:
    """Resamples the particles of one chain, and assigns cell `i`."""
    entered = current.packed + step.enter[:, None]
    clear = residuals.is_feasible(entered, step.remaining[:, None], axis=0)
    mined, nonnegative = residuals.subtract(entered, step.adjacent[:, None], axis=0)
    can_mine = residuals.is_feasible(mined, step.remaining[:, None], axis=0)
    can_mine = nonnegative & step.exists & can_mine
    # One draw per particle over all extensions: first the value of the cell, then the parent.
    clear_flags, mine_flags = _flags(clear), _flags(can_mine)
    clear_count, mine_count = (
        _count(flags).astype(jnp.float32) for flags in (clear_flags, mine_flags)
    )
    draw = draws[:PARTICLES] * (clear_count + odds * mine_count)
    to_mine = (draw >= clear_count) & (mine_count > 0)
    among = jnp.where(to_mine, (draw - clear_count) / odds, draw)
    last = jnp.where(to_mine, mine_count, clear_count) - 1
    rank = jnp.clip(jnp.floor(among), 0, jnp.maximum(last, 0)).astype(jnp.int32)
    parent = bitboard.nth_bit(jnp.where(to_mine, mine_flags, clear_flags), rank).astype(jnp.int32)
    if conditional:
        reference = jnp.arange(PARTICLES) == 0
        ancestor = _sample_ancestor(log_weights, draws[0], draws[PARTICLES], current)
        parent = jnp.where(reference, ancestor, parent)
        to_mine = jnp.where(reference, reference_mine, to_mine)
    # Past the last cell of a shorter position nothing changes: its draws do not depend on others.
    parent = jnp.where(step.exists, parent, jnp.arange(PARTICLES, dtype=jnp.int32))
    mines = (to_mine & step.exists).astype(jnp.uint32)
    word = (jnp.arange(current.masks.shape[0]) == i // bitboard.WORD).astype(jnp.uint32)
    bit = mines << (i % bitboard.WORD).astype(jnp.uint32)
    return _Particles(
        packed=entered[:, parent] - mines[None, :] * step.adjacent[:, None],
        masks=current.masks[:, parent] | word[:, None] * bit[None, :],
        mines=current.mines[parent] + mines.astype(jnp.int32),
        reference_rest=current.reference_rest - reference_mine.astype(jnp.int32),
        alive=current.alive & ((clear_flags | mine_flags) != 0),
    )


def _sample_ancestor(
    log_weights: Float[Array, " counts"],
    proposal: Float[Array, ""],
    acceptance: Float[Array, ""],
    current: _Particles,
) -> Int[Array, ""]:
    """Samples the ancestor of the reference particle, given two uniform draws.

    Proposes one of the particles with the same residuals, and accepts it by the ratio of the
    weights that the mine count gives the completed layouts.
    """
    alike = _flags(jnp.all(current.packed == current.packed[:, :1], axis=0))
    rank = jnp.floor(proposal * _count(alike).astype(jnp.float32)).astype(jnp.int32)
    other = bitboard.nth_bit(alike, jnp.minimum(rank, _count(alike) - 1)).astype(jnp.int32)
    own_weight = log_weights[current.mines[0] + current.reference_rest]
    other_weight = log_weights[current.mines[other] + current.reference_rest]
    return jnp.where(jnp.log(acceptance) < other_weight - own_weight, other, 0)


def _flags(these: Bool[Array, " particles"]) -> UInt32[Array, ""]:
    return jnp.asarray(bitboard.pack(these[None, :]))[0, 0]


def _count(flags: UInt32[Array, ""]) -> Int[Array, ""]:
    return jax.lax.population_count(flags).astype(jnp.int32)


def _finish(
    log_weights: Float[Array, " counts"],
    mines: Int[Array, ""],
    unconstrained: Int[Array, ""],
    draw: Float[Array, ""],
    end: _Particles,
) -> tuple[UInt32[Array, " mask_words"], Float[Array, " means"], Bool[Array, ""]]:
    """Weights the particles of one chain by the mine count, and draws its next layout.

    Returns that layout, the weighted mean of the particles in each boundary cell and in any
    unconstrained cell, last, and whether the sweep reached a layout.
    """
    logs = log_weights[end.mines]
    top = jnp.max(logs)
    ended = end.alive & jnp.isfinite(top)
    weight = jnp.where(jnp.isfinite(logs), jnp.exp(logs - jnp.where(ended, top, 0.0)), 0.0)
    share = weight / jnp.maximum(jnp.sum(weight), jnp.finfo(jnp.float32).tiny)
    up_to = jnp.cumsum(share)
    chosen = jnp.minimum(jnp.sum(up_to <= draw * up_to[-1], dtype=jnp.int32), PARTICLES - 1)
    cells = end.masks.shape[0] * bitboard.WORD
    is_mine = jnp.asarray(bitboard.unpack(end.masks.T, cells)).astype(jnp.float32)
    rest = (mines - end.mines).astype(jnp.float32)
    density = rest / jnp.maximum(unconstrained, 1).astype(jnp.float32)
    of_cells = jnp.matmul(share, is_mine, precision=jax.lax.Precision.HIGHEST)
    means = jnp.concatenate([of_cells, jnp.sum(share * density)[None]])
    return end.masks[:, chosen], means, ended
