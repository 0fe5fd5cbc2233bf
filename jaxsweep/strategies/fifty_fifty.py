"""50/50s: pairs of neighbouring cells that no number will ever separate, so that one must guess.

Exactly one cell of the pair is a mine. A cell next to both sees one mine either way; a cell next to
only one of them would separate them, unless it is a mine or off the board. So a pair becomes a
50/50 in the layouts in which all cells next to only one of them are mines. The guess is then
forced, and made now it costs no more than later. So every cell's safety is multiplied by the
probability that no 50/50 is lost, and a cell of a pair is spared the factor of its own pair.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules import arrays, bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.deduction import Certain, contradicted, residual_numbers
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.fifty_fifty import CLOSE, MIN_LOSS, PAIRS

Grid = Float[Array, "rows cols batch"]


class FiftyFifties(eqx.Module):
    """Pairs that may become a 50/50, of a batch of positions, last: the likeliest first."""

    row: Int[Array, "pairs batch"]
    col: Int[Array, "pairs batch"]
    below: Bool[Array, "pairs batch"]
    """Whether the second cell is below the first; else it is to the right."""
    pending: Bool[Array, "pairs batch"]
    """Which pairs the engine is still to be asked about."""
    loss: Float[Array, "pairs batch"]
    """An upper bound on the probability of a 50/50 that is lost; 0 until the engine was asked.

    Exact if one of the two is certainly a mine whenever all cells next to only one of them are.
    """
    over_capacity: Bool[Array, "pairs batch"]
    """Which pairs the engine could not answer about; their loss stays 0."""

    @classmethod
    def none(cls, positions: Position) -> "FiftyFifties":
        """Returns arrays without any pair."""
        zero = jnp.zeros((PAIRS, positions.mines.shape[0]), jnp.int32)
        return cls(zero, zero, zero > 0, zero > 0, zero.astype(jnp.float32), zero > 0)

    @classmethod
    def of(
        cls, positions: Position, beliefs: Beliefs, wanted: Bool[Array, " batch"]
    ) -> "FiftyFifties":
        """Finds the likeliest pairs of the `wanted` positions, as if cells were independent."""
        cols, batch = beliefs.mine_probability.shape[1:]
        hidden, opened = (
            jnp.asarray(bitboard.unpack(bits, cols))
            for bits in materialize((bitboard.mask(wanted, positions.hidden), positions.opened))
        )
        chance = jnp.asarray(beliefs.mine_probability)
        mine = materialize(jnp.where(hidden, chance, jnp.where(opened, 0.0, 1.0)))
        doubt = materialize(jnp.where(hidden, jnp.minimum(chance, 1.0 - chance), 0.0))
        chances = _as_if_independent(mine, doubt).reshape(-1, batch)
        order = materialize(jnp.round(chances / CLOSE) * CLOSE)
        places, most = arrays.largest(order, PAIRS)
        below, at = jnp.divmod(places, order.shape[0] // 2)
        return cls(
            row=at // cols,
            col=at % cols,
            below=below > 0,
            pending=most >= MIN_LOSS,
            loss=jnp.zeros_like(most),
            over_capacity=jnp.zeros_like(most, bool),
        )

    @property
    def cells(self) -> tuple[tuple[Int[Array, "pairs batch"], Int[Array, "pairs batch"]], ...]:
        """The rows and columns of the first cells, and of the second ones."""
        down = self.below.astype(jnp.int32)
        return (self.row, self.col), (self.row + down, self.col + 1 - down)

    def conditioned(
        self,
        positions: Position,
        mines: Bits,
        index: Int[Array, " some"],
        there: Bool[Array, " some"],
    ) -> Position:
        """Returns positions given that all cells next to only one of a pair are mines.

        Those cells are removed, and the numbers and the mine count lowered. `index` are places in
        the flattened arrays of pairs. Where `there` is false, the position is returned as it was.
        """
        pair, game = jnp.divmod(index, self.row.shape[1])
        known, below = mines[..., game], self.below[pair, game]
        first = materialize(bitboard.single(self.row[pair, game], self.col[pair, game], known))
        ends = bitboard.select(
            below,
            bitboard.shift(first, -1, 0) | bitboard.shift(first, 2, 0),
            bitboard.shift(first, 0, -1) | bitboard.shift(first, 0, 2),
        )
        sides = bitboard.select(
            below,
            bitboard.shift(ends, 0, -1) | bitboard.shift(ends, 0, 1),
            bitboard.shift(ends, -1, 0) | bitboard.shift(ends, 1, 0),
        )
        before = jax.tree.map(lambda leaf: leaf[..., game], positions)
        taken = materialize(bitboard.mask(there, before.hidden & (ends | sides)))
        nothing = jnp.zeros_like(taken)
        certain = Certain(nothing, taken, nothing, nothing)
        wrong = bitboard.any_set(contradicted(before, certain))
        mines_left = before.mines - bitboard.count(taken)
        return Position(
            hidden=before.hidden & ~taken,
            opened=before.opened,
            numbers=residual_numbers(before, certain),
            flags=known & ~taken,
            # A negative mine count makes the position inconsistent.
            mines=jnp.where(wrong, -1, mines_left).astype(jnp.int32),
        )

    def updated(
        self,
        index: Int[Array, " some"],
        which: Bool[Array, " some"],
        found: Beliefs,
        log_layouts: Float[Array | np.ndarray, " batch"],
    ) -> "FiftyFifties":
        """Returns the pairs with the engine's answers about some of them.

        `index` are places in the flattened arrays, of which only `which` count; `log_layouts` are
        those of the positions themselves.
        """
        pair, game = jnp.divmod(index, self.row.shape[1])
        some = jnp.arange(index.shape[0], dtype=jnp.int32)
        chances = [
            found.mine_probability[row[pair, game], col[pair, game], some]
            for row, col in self.cells
        ]
        # In a 50/50 each cell is the mine with the same probability, which is no more than the
        # probability that either is a mine, or safe, at all.
        doubts = [jnp.minimum(chance, 1.0 - chance) for chance in chances]
        doubt = jnp.minimum(*doubts)
        share = jnp.exp(jnp.minimum(found.log_layouts - log_layouts[game], 0.0))
        loss = jnp.where(found.status == Status.EXACT, share * doubt, 0.0)
        place = jnp.where(which, index, self.loss.size)

        def put(whole: Array, new: Array) -> Array:
            return whole.reshape(-1).at[place].set(new, mode="drop").reshape(whole.shape)

        return eqx.tree_at(
            lambda pairs: (pairs.pending, pairs.loss, pairs.over_capacity),
            self,
            (
                put(self.pending, jnp.zeros_like(which)),
                put(self.loss, loss),
                put(self.over_capacity, found.status == Status.OVER_CAPACITY),
            ),
        )

    def forced_guess_factor(self, rows: int, cols: int) -> Grid:
        """Returns, for each cell, the probability that no 50/50 is lost but those it is part of."""
        log_kept, batch = jnp.log1p(-self.loss), self.row.shape[1]
        game = jnp.broadcast_to(jnp.arange(batch, dtype=jnp.int32)[None], self.row.shape)
        own = jnp.zeros((rows, cols, batch), jnp.float32)
        for row, col in self.cells:
            own = own.at[row, col, game].add(log_kept, mode="drop")
        return jnp.exp(jnp.sum(log_kept, axis=0)[None, None] - own)


def _as_if_independent(mine: Grid, doubt: Grid) -> Float[Array, "ways rows cols batch"]:
    """Returns the probability of a lost 50/50 of each cell with the one to its right, and below."""
    column = materialize(mine * _at(mine, -1, 0, 1.0) * _at(mine, 1, 0, 1.0))
    row = materialize(mine * _at(mine, 0, -1, 1.0) * _at(mine, 0, 1, 1.0))
    return jnp.stack(
        [
            jnp.minimum(doubt, _at(doubt, 0, 1, 0.0))
            * (_at(column, 0, -1, 1.0) * _at(column, 0, 2, 1.0)),
            jnp.minimum(doubt, _at(doubt, 1, 0, 0.0))
            * (_at(row, -1, 0, 1.0) * _at(row, 2, 0, 1.0)),
        ]
    )


def _at(grid: Grid, down: int, right: int, outside: float) -> Grid:
    """Shifts a grid: each cell gets the value so many rows below and columns to the right."""
    rows, cols, _ = grid.shape
    padded = jnp.pad(grid, ((2, 2), (2, 2), (0, 0)), constant_values=outside)
    return padded[2 + down : 2 + down + rows, 2 + right : 2 + right + cols]
