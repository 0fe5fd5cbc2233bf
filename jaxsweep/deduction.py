"""Cells that are certainly safe or certainly mined, found on packed rows.

So far the two rules that look at one open number at a time, to a fixpoint.
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from jaxsweep import bitboard
from jaxsweep.bitboard import Bits
from jaxsweep.position import Position


class Certain(eqx.Module):
    """Hidden cells that are settled: a safe one is a mine in no consistent layout, and so on."""

    safe: Bits
    mines: Bits


def nothing_certain(position: Position) -> Certain:
    """Where every deduction begins."""
    return Certain(jnp.zeros_like(position.hidden), jnp.zeros_like(position.hidden))


def single_cell_round(position: Position, certain: Certain) -> Certain:
    """One round of both single-cell rules over all open numbers at once.

    A number that has as many hidden neighbours left as it counts mines: all of them are mines.
    A number whose mines are all found: its other hidden neighbours are safe.
    """
    candidates = position.hidden & ~certain.safe
    unknown = candidates & ~certain.mines
    all_mines = bitboard.equal(position.numbers, bitboard.neighbour_counts(candidates))
    all_found = bitboard.equal(position.numbers, bitboard.neighbour_counts(certain.mines))
    return Certain(
        safe=certain.safe | (bitboard.dilate(all_found & position.opened) & unknown),
        mines=certain.mines | (bitboard.dilate(all_mines & position.opened) & unknown),
    )


def single_cell(position: Position) -> Certain:
    """Everything the single-cell rules settle."""

    def step(state):
        certain, _ = state
        grown = single_cell_round(position, certain)
        new = (grown.safe ^ certain.safe) | (grown.mines ^ certain.mines)
        return grown, bitboard.any_set(new)

    start = (nothing_certain(position), jnp.asarray(True))
    return jax.lax.while_loop(lambda state: state[1], step, start)[0]
