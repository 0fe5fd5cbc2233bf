"""Neighbours that nothing will ever tell apart: a coin is tossed for them, soon or late.

A cell beside both cells of a pair sees one mine, whichever of them it is. A cell beside one of them
alone would tell, unless it is a mine, or there is none. So it comes to a toss if all of those are
mines, and just one of the two is. Who opens one of the pair now pays no more than later: so much
more than its safety it is worth, as the toss would take.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.deduction import Certain, contradicted, residual_numbers
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize

PAIRS = 3
"""Pairs of a position that the engine is asked about, at most."""

LIKELY = 0.03
"""It is asked if the toss would be lost in about so many layouts, or more."""

CLOSE = 1e-5
"""Chances that differ by less are equal, whatever rounding makes of them."""

Grid = Float[Array, "rows cols batch"]


class FiftyFifties(eqx.Module):
    """Pairs that may come to a toss, of a batch of positions, last: the likeliest first."""

    row: Int[Array, "pairs batch"]
    col: Int[Array, "pairs batch"]
    below: Bool[Array, "pairs batch"]
    """Whether its second cell is the one below the first, not the one to the right."""
    left: Bool[Array, "pairs batch"]
    """Which the engine is yet to be asked about."""
    lost: Float[Array, "pairs batch"]
    """Of all layouts, the part in which it comes to a toss that is lost; 0 until that is known.

    At most: just that where one of the two is a mine for certain, whenever all around them are.
    """

    @classmethod
    def none(cls, positions: Position) -> "FiftyFifties":
        """Before anything is asked."""
        zero = jnp.zeros((PAIRS, positions.mines.shape[0]), jnp.int32)
        return cls(zero, zero, zero > 0, zero > 0, zero.astype(jnp.float32))

    @classmethod
    def of(
        cls, positions: Position, beliefs: Beliefs, look: Bool[Array, " batch"]
    ) -> "FiftyFifties":
        """Of positions to be looked at, pairs worth a question, as if cells were independent."""
        cols, batch = beliefs.mine_probability.shape[1:]
        hidden, opened = (
            jnp.asarray(bitboard.unpack(bits, cols))
            for bits in materialize((bitboard.mask(look, positions.hidden), positions.opened))
        )
        chance = jnp.asarray(beliefs.mine_probability)
        mine = materialize(jnp.where(hidden, chance, jnp.where(opened, 0.0, 1.0)))
        doubt = materialize(jnp.where(hidden, jnp.minimum(chance, 1.0 - chance), 0.0))
        chances = _as_if_independent(mine, doubt).reshape(-1, batch)
        order = materialize(jnp.round(chances / CLOSE) * CLOSE)
        places, most = bitboard.largest(order, PAIRS)
        below, at = jnp.divmod(places, order.shape[0] // 2)
        return cls(
            row=at // cols,
            col=at % cols,
            below=below > 0,
            left=most >= LIKELY,
            lost=jnp.zeros_like(most),
        )

    @property
    def cells(self) -> tuple[tuple[Int[Array, "pairs batch"], Int[Array, "pairs batch"]], ...]:
        """Rows and columns of the first cells, and of the second ones."""
        down = self.below.astype(jnp.int32)
        return (self.row, self.col), (self.row + down, self.col + 1 - down)

    def suppose(
        self,
        positions: Position,
        mines: Bits,
        index: Int[Array, " some"],
        there: Bool[Array, " some"],
    ) -> Position:
        """Positions in which all cells beside one of a pair alone are mines, and taken away.

        By places in the flat arrays of pairs. Where nothing is `there`, the position as it was.
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
            # No layout has fewer mines than none.
            mines=jnp.where(wrong, -1, mines_left).astype(jnp.int32),
        )

    def told(
        self,
        index: Int[Array, " some"],
        which: Bool[Array, " some"],
        found: Beliefs,
        log_layouts: Float[Array | np.ndarray, " batch"],
    ) -> "FiftyFifties":
        """With the answers about some of the pairs, by their places in the flat arrays.

        What is beyond the engine counts as no toss.
        """
        pair, game = jnp.divmod(index, self.row.shape[1])
        some = jnp.arange(index.shape[0], dtype=jnp.int32)
        chances = [
            found.mine_probability[row[pair, game], col[pair, game], some]
            for row, col in self.cells
        ]
        # Of a toss, each of the two is the mine as often: no oftener than either is at all.
        doubts = [jnp.minimum(chance, 1.0 - chance) for chance in chances]
        doubt = jnp.minimum(*doubts)
        share = jnp.exp(jnp.minimum(found.log_layouts - log_layouts[game], 0.0))
        lost = jnp.where(found.status == Status.EXACT, share * doubt, 0.0)
        place = jnp.where(which, index, self.lost.size)

        def put(whole: Array, new: Array) -> Array:
            return whole.reshape(-1).at[place].set(new, mode="drop").reshape(whole.shape)

        return eqx.tree_at(
            lambda tosses: (tosses.left, tosses.lost),
            self,
            (put(self.left, jnp.zeros_like(which)), put(self.lost, lost)),
        )

    def spared(self, rows: int, cols: int) -> Grid:
        """For each cell, the chance that no toss is lost but those which opening it forestalls."""
        asked, batch = jnp.log1p(-self.lost), self.row.shape[1]
        game = jnp.broadcast_to(jnp.arange(batch, dtype=jnp.int32)[None], self.row.shape)
        own = jnp.zeros((rows, cols, batch), jnp.float32)
        for row, col in self.cells:
            own = own.at[row, col, game].add(asked, mode="drop")
        return jnp.exp(jnp.sum(asked, axis=0)[None, None] - own)


def _as_if_independent(mine: Grid, doubt: Grid) -> Float[Array, "ways rows cols batch"]:
    """The chance of a toss that is lost, of each cell with the one on its right, and below."""
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
    """For each cell, what stands so many rows farther down and columns to the right."""
    rows, cols, _ = grid.shape
    padded = jnp.pad(grid, ((2, 2), (2, 2), (0, 0)), constant_values=outside)
    return padded[2 + down : 2 + down + rows, 2 + right : 2 + right + cols]
