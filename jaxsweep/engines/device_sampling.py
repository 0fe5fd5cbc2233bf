"""Random layouts of a batch of positions as one device program, each layout equally likely.

Forward filtering, backward sampling: the components are counted as in `device_exact`, and from the
messages that this leaves, the mine count of each component is drawn given those before it, and its
cells given the cells after them. Mines of isolated constraints and of unconstrained cells lie
anywhere. Counts are float32: probabilities are those of `device_exact`, and no layout that
contradicts the position is ever drawn.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from jaxsweep.beliefs import Status
from jaxsweep.engines import convolution
from jaxsweep.engines.device_components import MAX_COMPONENTS, ComponentBoards, label_components
from jaxsweep.engines.device_counting import (
    Chunks,
    CountedForward,
    flatten_chunks,
    map_chunks,
)
from jaxsweep.engines.device_exact import MAX_SUMS, count_components, status_of
from jaxsweep.engines.forward_backward import ForwardMessages, StateCapacity
from jaxsweep.engines.isolated import isolated_constraints
from jaxsweep.engines.patterns import MINE_COUNTS
from jaxsweep.rules import bitboard, frontier, game
from jaxsweep.rules.bitboard import WORD, Bits
from jaxsweep.rules.frontier import FAR, ReducedPosition
from jaxsweep.runtime.materialize import materialize

MAX_ISOLATED = 16
"""Isolated constraints that a position may have."""

CHUNKS = (
    Chunks(StateCapacity(16, 32, states=16, words=2, mine_counts=MINE_COUNTS), 64, 12),
    Chunks(StateCapacity(32, 32, states=16, words=2, mine_counts=MINE_COUNTS), 16, 8),
    Chunks(StateCapacity(64, 64, states=64, words=2, mine_counts=MINE_COUNTS), 4, 12),
)
"""The kernels that count components. Small ones are not counted by patterns, as in `device_exact`:
what draws the cells of one component from its messages then does so for all."""

KERNELS = tuple(partial(CountedForward.of, chunks=chunks) for chunks in CHUNKS)

OF_COUNTS, OF_UNCONSTRAINED, OF_ISOLATED, OF_COMPONENTS = 0, 1, 2, 3
"""What a position's key is folded with, for independent random numbers."""

Layouts = UInt32[Array, "rows words draws batch"]


def draw_layouts(
    reduced: ReducedPosition, keys: Key[Array, " batch"], draws: int
) -> tuple[Layouts, Int[Array, " batch"]]:
    """Draws layouts of each position of a batch, last: packed boards, and the status.

    The layouts of a position depend on it, its key and `draws` alone. Where the status is not
    `EXACT`, there are no mines. It is as in `device_exact`; a position with more isolated
    constraints than there is room for is `OVER_CAPACITY`.
    """
    isolated = isolated_constraints(reduced)
    labels = label_components(reduced, isolated.cells)
    counted = count_components(materialize(ComponentBoards.of(labels)), KERNELS)
    unconstrained = bitboard.count(reduced.unconstrained)
    mines = reduced.mines_left - isolated.mines
    chain_arguments = (
        counted.layouts,
        counted.min_mines,
        bitboard.count(labels.boundary),
        unconstrained,
        mines,
        MAX_SUMS,
    )
    status = status_of(reduced, counted, convolution.join(*chain_arguments))
    above_min, possible = _draw_mine_counts(
        convolution.chain_of(*chain_arguments), _fold(keys, OF_COUNTS), draws
    )
    left = mines - jnp.sum(counted.min_mines, axis=0, dtype=jnp.int32)
    left = left[None, :] - jnp.sum(above_min, axis=0, dtype=jnp.int32)
    layouts = _draw_unconstrained(reduced.unconstrained, left, _fold(keys, OF_UNCONSTRAINED))
    of_isolated, fits = _draw_isolated(reduced, isolated.cells, _fold(keys, OF_ISOLATED), draws)
    layouts = layouts | of_isolated | reduced.certain.mines[:, :, None, :]
    for group in counted.groups:
        assert isinstance(group, CountedForward)
        layouts, drawn = _draw_components(group, above_min, keys, layouts)
        possible &= drawn
    status = jnp.where((status == Status.EXACT) & ~(fits & possible), Status.OVER_CAPACITY, status)
    exact = (status == Status.EXACT)[None, None, None, :]
    return jnp.where(exact, layouts, jnp.uint32(0)), status


def _fold(keys: Key[Array, " some"], number: int | Int[Array, " some"]) -> Key[Array, " some"]:
    """Folds keys with one number, or with one each."""
    return jax.vmap(jax.random.fold_in)(keys, jnp.broadcast_to(number, keys.shape))


def _choose(
    weights: Float[Array, "*some choices"], uniform: Float[Array, "*some"]
) -> tuple[Int[Array, "*some"], Bool[Array, "*some"]]:
    """Chooses in proportion to the weights, and tells where there are any above 0."""
    cumulative = jnp.cumsum(weights, axis=-1)
    goal = (uniform * cumulative[..., -1])[..., None]
    # Whatever rounding does to the sums, only what has a weight is chosen; if need be the last.
    last = weights.shape[-1] - 1 - jnp.argmax(weights[..., ::-1] > 0, axis=-1)
    reached = (weights > 0) & (cumulative > goal)
    chosen = jnp.where(jnp.any(reached, axis=-1), jnp.argmax(reached, axis=-1), last)
    return chosen.astype(jnp.int32), jnp.any(weights > 0, axis=-1)


def _draw_mine_counts(
    chain: convolution.Chain, keys: Key[Array, " batch"], draws: int
) -> tuple[Int[Array, "components draws batch"], Bool[Array, " batch"]]:
    """Draws the mines of each component above its fewest, one component after the other.

    Also tells in which positions no weight vanished.
    """

    def retreat(carry, step):
        after, log_scale = carry
        return convolution.retreat(after, step, log_scale), after[0]

    start = (chain.last, jnp.zeros_like(chain.tilt))
    _, after = jax.lax.scan(retreat, start, chain.steps, reverse=True)
    components, _, mine_counts, batch = chain.steps.shape
    total = after.shape[1]
    uniform = jax.vmap(lambda key: jax.random.uniform(key, (components, draws)))(keys)
    more = jnp.arange(mine_counts, dtype=jnp.int32)[:, None, None]

    def advance(carry, component):
        before, possible = carry
        step, after, uniform = component
        sums = before[None] + more  # [mine_counts, draws, batch]
        ways = jnp.take_along_axis(
            after, jnp.minimum(sums, total - 1).reshape(mine_counts * draws, batch), axis=0
        ).reshape(mine_counts, draws, batch)
        weights = jnp.where(sums < total, step[0][:, None, :] * ways, 0.0)
        chosen, any_way = _choose(jnp.moveaxis(weights, 0, -1), uniform)
        return (before + chosen, possible & jnp.all(any_way, axis=0)), chosen

    start = (jnp.zeros((draws, batch), jnp.int32), jnp.ones((batch,), bool))
    (_, possible), above_min = jax.lax.scan(
        advance, start, (chain.steps, after, jnp.moveaxis(uniform, 0, -1))
    )
    return above_min, possible


def _draw_unconstrained(
    cells: Bits, mines: Int[Array, "draws batch"], keys: Key[Array, " batch"]
) -> Layouts:
    """Places so many mines in unconstrained cells, every choice of which is equally likely."""
    draws = mines.shape[0]

    def one(cells, mines, key):
        place = jax.vmap(lambda mines, key: game.deal(key, cells, cells, mines).mines, out_axes=-1)
        return place(mines, jax.random.split(key, draws))

    return jax.vmap(one, in_axes=(-1, -1, 0), out_axes=-1)(cells, mines, keys)


def _draw_isolated(
    reduced: ReducedPosition, cells: Bits, keys: Key[Array, " batch"], draws: int
) -> tuple[Layouts, Bool[Array, " batch"]]:
    """Places the mines of isolated constraints, and tells in which positions there is room."""
    rows, words, batch = cells.shape
    numbers = reduced.constraints & bitboard.dilate(cells)
    around = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    offset = np.array(around, np.int32).T

    def one(cells, numbers, residuals, key):
        at = frontier.places(numbers, MAX_ISOLATED)
        needed = frontier.read(residuals, at)
        row, col = (place[:, None] + step[None, :] for place, step in zip(at, offset, strict=True))
        inside = (at[0] != FAR)[:, None] & (row >= 0) & (col >= 0)
        inside &= (row < rows) & (col < words * WORD)
        row, col = jnp.where(inside, row, 0), jnp.where(inside, col, 0)
        there = cells[row, col // WORD] >> (col % WORD).astype(jnp.uint32) & jnp.uint32(1) == 1
        is_cell = inside & there
        # The cells of least random words get the mines. No two words are equal.
        random = jax.random.bits(key, (draws, *row.shape), jnp.uint32) & ~jnp.uint32(15)
        random |= jnp.arange(len(around), dtype=jnp.uint32)[None, None, :]
        random = jnp.where(is_cell[None], random, jnp.uint32(0xFFFFFFFF))
        rank = jnp.sum(random[..., None, :] < random[..., :, None], axis=-1, dtype=jnp.int32)
        return row, col, is_cell[None] & (rank < needed[None, :, None])

    row, col, mine = jax.vmap(one, in_axes=(-1, -1, -1, 0))(cells, numbers, reduced.residuals, keys)
    layouts = _add_mines(
        jnp.zeros((rows, words, draws, batch), jnp.uint32),
        row.reshape(batch, -1),
        col.reshape(batch, -1),
        jnp.arange(batch, dtype=jnp.int32),
        mine.reshape(batch, draws, -1),
    )
    return layouts, bitboard.count(numbers) <= MAX_ISOLATED


def _add_mines(
    layouts: Layouts,
    row: Int[Array, "some cells"],
    col: Int[Array, "some cells"],
    position: Int[Array, " some"],
    mine: Bool[Array, "some draws cells"],
) -> Layouts:
    """Sets mines at the rows and columns of lists of cells, each list of one position."""
    _, words, draws, batch = layouts.shape
    draw = jnp.arange(draws, dtype=jnp.int32)[None, :, None]
    place = (row * words + col // WORD)[:, None, :] * draws + draw
    place = jnp.where(mine, place * batch + position[:, None, None], layouts.size)
    bits = jnp.uint32(1) << (col % WORD).astype(jnp.uint32)
    flat = layouts.reshape(-1).at[place].add(bits[:, None, :], mode="drop")
    return flat.reshape(layouts.shape)


def _draw_components(
    group: CountedForward,
    above_min: Int[Array, "components draws batch"],
    keys: Key[Array, " batch"],
    layouts: Layouts,
) -> tuple[Layouts, Bool[Array, " batch"]]:
    """Draws the cells of the components that one kernel counted, given their mine counts.

    Also tells in which positions no weight vanished.
    """
    batch = above_min.shape[2]
    index = group.selection.index  # [chunks, chunk]
    is_component = index < MAX_COMPONENTS * batch
    own = jnp.where(is_component, index, 0)
    ordinal, position = own // batch, own % batch
    own_keys = _fold(keys[position.reshape(-1)], OF_COMPONENTS + ordinal.reshape(-1))
    by_chunk = (
        group.counts.messages,
        above_min[ordinal, :, position],
        jax.random.key_data(own_keys).reshape(*index.shape, -1),
        group.length,
    )

    def work(i):
        given = jax.tree.map(lambda leaf: jax.lax.dynamic_index_in_dim(leaf, i, 0, False), by_chunk)
        return _draw_backward(*given)

    drawn = flatten_chunks(map_chunks(work, group.selection.used, index.shape[0]))
    mine, any_way = drawn
    row, col = group.places
    is_cell = (is_component.reshape(-1) & group.counts.fits)[:, None] & (row != FAR)
    row, col = (jnp.where(is_cell, x, 0) for x in (row, col))
    position = position.reshape(-1)
    mine = jnp.moveaxis(mine, 1, 2) & is_cell[:, None, :]
    failed = is_component.reshape(-1) & group.counts.fits & ~any_way
    possible = (
        jnp.ones((batch,), bool).at[jnp.where(failed, position, batch)].set(False, mode="drop")
    )
    return _add_mines(layouts, row, col, position, mine), possible


def _draw_backward(
    messages: ForwardMessages,
    above_min: Int[Array, "some draws"],
    key_data: UInt32[Array, "some words"],
    length: Int[Array, ""],
) -> tuple[Bool[Array, "some cells draws"], Bool[Array, " some"]]:
    """Draws the cells of some components, from the last to the first, given their mine counts.

    What leads to the state after a cell are states before it, without or with a mine in the cell:
    each is as likely as there are partial layouts that lead to it.
    """
    cells, some, states, _ = messages.counts.shape
    draws = above_min.shape[1]
    keys = jax.random.wrap_key_data(key_data)

    def retreat(back, carry):
        state, column, mines, possible = carry
        cell = length - 1 - back
        message = jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, cell, 0, False), messages
        )
        column = column + message.shifted.astype(jnp.int32)[:, None]
        counts = jnp.pad(message.counts, ((0, 0), (0, 0), (1, 1)))
        by_column = jnp.moveaxis(counts, 1, 2)  # [some, mine_counts, states]
        clear, mined = (
            jnp.take_along_axis(by_column, (column + less)[:, :, None], axis=1) for less in (1, 0)
        )
        weights = jnp.concatenate(
            [
                jnp.where(message.to_clear[:, None, :] == state[:, :, None], clear, 0.0),
                jnp.where(message.to_mine[:, None, :] == state[:, :, None], mined, 0.0),
            ],
            axis=2,
        )
        uniform = jax.vmap(lambda key: jax.random.uniform(jax.random.fold_in(key, cell), (draws,)))
        chosen, any_way = _choose(weights, uniform(keys))
        mine = chosen >= states
        mines = jax.lax.dynamic_update_index_in_dim(mines, mine, cell, 0)
        return (
            jnp.where(mine, chosen - states, chosen),
            column - mine.astype(jnp.int32),
            mines,
            possible & jnp.all(any_way, axis=1),
        )

    start = (
        jnp.zeros((some, draws), jnp.int32),
        above_min,
        jnp.zeros((cells, some, draws), bool),
        jnp.ones((some,), bool),
    )
    _, _, mines, possible = jax.lax.fori_loop(0, length, retreat, start)
    return jnp.moveaxis(mines, 0, 1), possible
