"""The game itself, with its hidden truth: deal, open, flag, chord, and who has won.

Functions are pure, on packed rows (see `bitboard`), and take one game or a batch of them, last;
only `deal` lays one board. A finished game ignores further moves.
"""

import enum

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer, Key, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import uniform_integer

Seed = Integer[Array, ""] | np.uint32
"""A seed, or a game's number."""


class GameStatus(enum.IntEnum):
    """How a game stands."""

    PLAYING = 0
    WON = 1
    LOST = 2


class Game(eqx.Module):
    """The board, where its mines are, and what the player has done to it; or a batch of games."""

    cells: Bits
    mines: Bits
    opened: Bits
    flags: Bits


def game_key(seed: Seed, number: Seed) -> Key[Array, ""]:
    """The random key of game `number` of a seed: all that is random in a game comes from it."""
    return jax.random.fold_in(jax.random.key(seed), number)


def deal_key(key: Key[Array, ""]) -> Key[Array, ""]:
    """The part of a game's key that lays its mines."""
    return jax.random.fold_in(key, 0)


def move_key(key: Key[Array, ""], move: Int[Array, ""] | np.int32) -> Key[Array, ""]:
    """The part of a game's key that the player may use for move number `move`."""
    return jax.random.fold_in(key, move + 1)


def deal(
    key: Key[Array, ""],
    cells: Bits | UInt32[np.ndarray, "rows words"],
    allowed_mines: Bits | UInt32[np.ndarray, "rows words"],
    mines: Int[Array, ""],
) -> Game:
    """A covered game with `mines` mines, uniform over all layouts inside `allowed_mines`.

    Assumes that `allowed_mines` holds at least `mines` cells of the board.
    """
    # Selection sampling: going through the cells, each takes a mine with the chance
    # (mines still to lay) / (cells still to come). No sort, no rejection, an exact count.
    allowed_mines, cells = jnp.asarray(allowed_mines), jnp.asarray(cells)
    rows, words = allowed_mines.shape
    width = words * bitboard.WORD
    draws = jax.random.bits(key, (rows * width,), jnp.uint32)
    allowed = bitboard.unpack(allowed_mines, width).reshape(-1).astype(jnp.uint32)

    def lay(carry, cell):
        to_lay, to_come = carry
        draw, here = cell
        # A uniform number below `to_come`, by the high word of a product.
        mine = jnp.where(uniform_integer(draw, to_come) < to_lay, here, jnp.uint32(0))
        return (to_lay - mine, to_come - here), mine

    start = (mines.astype(jnp.uint32), bitboard.count(allowed_mines).astype(jnp.uint32))
    _, layout = jax.lax.scan(lay, start, (draws, allowed))
    packed = jnp.asarray(bitboard.pack(layout.reshape(rows, width) != 0))
    nothing = jnp.zeros_like(packed)
    return Game(cells=cells, mines=packed, opened=nothing, flags=nothing)


def status(game: Game) -> Int[Array, "*batch"]:
    """The game's `GameStatus`: lost with a mine open, won with every safe cell open."""
    lost = bitboard.any_set(game.opened & game.mines)
    won = ~bitboard.any_set(game.cells & ~game.mines & ~game.opened)
    return jnp.where(lost, GameStatus.LOST, jnp.where(won, GameStatus.WON, GameStatus.PLAYING))


def open_cells(game: Game, which: Bits) -> Game:
    """Opens all cells of `which` at once, and whatever opens around those that show 0.

    Flagged cells stay closed, also in the flood.
    """
    closed = game.cells & ~game.opened & ~game.flags
    asked = which & closed
    near_mines = bitboard.dilate(game.mines)

    def spread(state):
        reached, _ = state
        grown = reached | (bitboard.dilate(reached & ~near_mines) & closed)
        return grown, bitboard.any_set(grown ^ reached)

    reached, _ = jax.lax.while_loop(
        lambda state: jnp.any(state[1]), spread, (asked, bitboard.any_set(asked & ~near_mines))
    )
    playing = status(game) == GameStatus.PLAYING
    opened = game.opened | bitboard.mask(playing, reached)
    return eqx.tree_at(lambda g: g.opened, game, opened)


def flag(game: Game, which: Bits) -> Game:
    """Toggles the flag of every closed cell of `which`."""
    playing = status(game) == GameStatus.PLAYING
    toggled = bitboard.mask(playing, which & game.cells & ~game.opened)
    return eqx.tree_at(lambda g: g.flags, game, game.flags ^ toggled)


def chord(game: Game, which: Bits) -> Game:
    """Opens the neighbours of every open number of `which` that has as many flags around it."""
    satisfied = bitboard.equal(
        bitboard.neighbour_counts(game.mines), bitboard.neighbour_counts(game.flags)
    )
    return open_cells(game, bitboard.dilate(which & game.opened & satisfied))


def view(game: Game) -> Position:
    """What the player sees: the numbers of the open cells, and the flags."""
    shown = game.opened & ~game.mines
    ones, twos, fours, eights = bitboard.neighbour_counts(game.mines)
    return Position(
        hidden=game.cells & ~shown,
        opened=shown,
        numbers=(ones & shown, twos & shown, fours & shown, eights & shown),
        flags=game.flags,
        mines=bitboard.count(game.mines),
    )
