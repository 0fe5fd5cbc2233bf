"""The rules of the game on the device: deal, open, flag, chord, and the status.

Functions are pure, on packed rows (see `bitboard`), and take one game or a batch of them, with the
batch last; only `deal_game` is for one board. A finished game ignores further moves.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer, Key, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.position import Position
from jaxsweep.rules.randomness import uniform_integer, words_of_cells
from jaxsweep.rules.status import GameStatus

__all__ = [
    "Game",
    "GameNumber",
    "GameStatus",
    "Seed",
    "chord",
    "deal",
    "deal_game",
    "flag",
    "game_key",
    "layout_key",
    "move_key",
    "open_cells",
    "status",
    "view",
]

Seed = Integer[Array, ""] | np.uint32
"""The seed of a sequence of games."""

GameNumber = Integer[Array, ""] | np.uint32
"""The number of a game among those of a seed, from 0."""


class Game(eqx.Module):
    """A board with its mines, open cells and flags; or a batch of them, batch last."""

    cells: Bits
    mines: Bits
    opened: Bits
    flags: Bits


def game_key(seed: Seed, game_number: GameNumber) -> Key[Array, ""]:
    """Returns the key of a game of a seed: everything random in a game derives from it."""
    return jax.random.fold_in(jax.random.key(seed), game_number)


def move_key(key: Key[Array, ""], move: Int[Array, ""] | np.int32) -> Key[Array, ""]:
    """Returns the key that the player may use for move number `move`."""
    return jax.random.fold_in(key, move + 1)


def layout_key(key: Key[Array, ""], game_number: GameNumber) -> Key[Array, ""]:
    """Returns the key by which the mines of a game are dealt, given the key of its sequence."""
    # Number 0 is for the mines; `move_key` uses those from 1 on.
    return jax.random.fold_in(jax.random.fold_in(key, game_number), 0)


def deal_game(
    seed: Seed,
    game_number: GameNumber,
    cells: Bits | UInt32[np.ndarray, "rows words"],
    allowed_mines: Bits | UInt32[np.ndarray, "rows words"],
    mines: Int[Array, ""],
) -> Game:
    """Returns a game of a seed, dealt as by `deal`."""
    return deal(layout_key(jax.random.key(seed), game_number), cells, allowed_mines, mines)


def deal(
    key: Key[Array, "*batch"],
    cells: Bits | UInt32[np.ndarray, "rows words"],
    allowed_mines: Bits | UInt32[np.ndarray, "rows words"],
    mines: Int[Array, ""],
) -> Game:
    """Returns a new game whose layout is uniform over all with `mines` mines in `allowed_mines`.

    Assumes that `allowed_mines` has at least `mines` cells, all on the board. With a batch of
    keys, boards are batches, too; the number of mines is that of all of them.
    """
    # Selection sampling (Fan, Muller and Rezucha 1962; Knuth's Algorithm S): each cell in turn
    # gets a mine with probability (mines left) / (cells left). No sort, no rejection.
    allowed_mines, cells = jnp.asarray(allowed_mines), jnp.asarray(cells)
    rows, words, *batch = allowed_mines.shape
    width = words * bitboard.WORD
    draws = words_of_cells(key, rows * width)
    allowed = bitboard.unpack(allowed_mines, width).reshape(rows * width, *batch).astype(jnp.uint32)

    def place(carry, cell):
        mines_left, cells_left = carry
        draw, here = cell
        mine = jnp.where(uniform_integer(draw, cells_left) < mines_left, here, jnp.uint32(0))
        return (mines_left - mine, cells_left - here), mine

    cells_left = bitboard.count(allowed_mines).astype(jnp.uint32)
    start = (jnp.broadcast_to(mines.astype(jnp.uint32), cells_left.shape), cells_left)
    _, layout = jax.lax.scan(place, start, (draws, allowed))
    packed = jnp.asarray(bitboard.pack(layout.reshape(rows, width, *batch) != 0))
    nothing = jnp.zeros_like(packed)
    return Game(cells=cells, mines=packed, opened=nothing, flags=nothing)


def status(game: Game) -> Int[Array, "*batch"]:
    """Returns the `GameStatus`: lost if a mine is open, won if every safe cell is open."""
    lost = bitboard.any_set(game.opened & game.mines)
    won = ~bitboard.any_set(game.cells & ~game.mines & ~game.opened)
    return jnp.where(lost, GameStatus.LOST, jnp.where(won, GameStatus.WON, GameStatus.PLAYING))


def open_cells(game: Game, which: Bits) -> Game:
    """Opens all cells of `which` at once, with the flood fill around those that show 0.

    Flagged cells stay hidden, also in the flood fill.
    """
    openable = game.cells & ~game.opened & ~game.flags
    start = which & openable
    near_mines = bitboard.dilate(game.mines)

    def spread(state):
        reached, _ = state
        grown = reached | (bitboard.dilate(reached & ~near_mines) & openable)
        return grown, bitboard.any_set(grown ^ reached)

    reached, _ = jax.lax.while_loop(
        lambda state: jnp.any(state[1]), spread, (start, bitboard.any_set(start & ~near_mines))
    )
    playing = status(game) == GameStatus.PLAYING
    opened = game.opened | bitboard.mask(playing, reached)
    return eqx.tree_at(lambda g: g.opened, game, opened)


def flag(game: Game, which: Bits) -> Game:
    """Toggles the flag of every hidden cell of `which`."""
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
    """Returns what the player sees: the numbers of the open cells, and the flags."""
    shown = game.opened & ~game.mines
    ones, twos, fours, eights = bitboard.neighbour_counts(game.mines)
    return Position(
        hidden=game.cells & ~shown,
        opened=shown,
        numbers=(ones & shown, twos & shown, fours & shown, eights & shown),
        flags=game.flags,
        mines=bitboard.count(game.mines),
    )
