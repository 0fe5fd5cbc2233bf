"""Whole games, played by a strategy, one at a time or in batches.

A game is a function of the opening, the strategy, the seed and the game's number alone: the same
whatever the batch it is played in.
"""

from collections.abc import Iterator

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Integer

from jaxsweep import bitboard, game
from jaxsweep.bitboard import Bits
from jaxsweep.game import Game, GameStatus
from jaxsweep.level import Opening
from jaxsweep.strategies import AbstractStrategy, Move, Reason

GUESSES = tuple(int(reason) for reason in Reason if reason.is_guess)


class Record(eqx.Module):
    """How a game went, or a batch of games with one more axis."""

    won: Bool[Array, ""]
    clicks: Int[Array, ""]
    """Cells the player asked to open, the first one included; what opens by itself is free."""
    guesses: Int[Array, ""]
    """Moves that could have hit a mine, the first cell not counted."""
    rounds: Int[Array, ""]
    opened: Int[Array, ""]
    """Safe cells open at the end."""


class Table(eqx.Module):
    """An opening as arrays: boards of one container size share one compiled kernel."""

    cells: Bits
    minable: Bits
    mines: Int[Array, ""]
    row: Int[Array, ""]
    col: Int[Array, ""]

    @classmethod
    def of(cls, opening: Opening) -> "Table":
        """The arrays of an opening."""
        row, col = opening.first
        return cls(
            cells=jnp.asarray(opening.cells()),
            minable=jnp.asarray(opening.minable()),
            mines=jnp.asarray(opening.level.mines, jnp.int32),
            row=jnp.asarray(row, jnp.int32),
            col=jnp.asarray(col, jnp.int32),
        )


def begin(
    table: Table, seed: Integer[Array, ""] | np.uint32, number: Integer[Array, ""] | np.uint32
) -> Game:
    """Game `number` of a seed, with its first cell open."""
    key = game.deal_key(game.game_key(seed, number))
    dealt = game.deal(key, table.cells, table.minable, table.mines)
    return game.open_cells(dealt, bitboard.single(table.row, table.col, dealt.cells))


def turn(
    strategy: AbstractStrategy,
    now: Game,
    seed: Integer[Array, ""] | np.uint32,
    number: Integer[Array, ""] | np.uint32,
    move: Int[Array, ""] | np.int32,
) -> tuple[Game, Move]:
    """One move of the strategy; it carries flags on the mines it knows of, for people to see."""
    key = game.move_key(game.game_key(seed, number), move)
    chosen = strategy.choose(game.view(now), key)
    flagged = eqx.tree_at(lambda g: g.flags, now, chosen.flags & ~now.opened)
    return game.open_cells(flagged, chosen.opens), chosen


def play_game(
    strategy: AbstractStrategy,
    table: Table,
    seed: Integer[Array, ""] | np.uint32,
    number: Integer[Array, ""] | np.uint32,
) -> Record:
    """One whole game, played to its end."""

    def go_on(state):
        now, clicks, guesses, rounds = state
        now, move = turn(strategy, now, seed, number, rounds)
        is_guess = jnp.isin(move.reason, jnp.asarray(GUESSES, jnp.int32))
        return (
            now,
            clicks + bitboard.count(move.opens),
            guesses + is_guess.astype(jnp.int32),
            rounds + 1,
        )

    now, clicks, guesses, rounds = jax.lax.while_loop(
        lambda state: game.status(state[0]) == GameStatus.PLAYING,
        go_on,
        (begin(table, seed, number), jnp.int32(1), jnp.int32(0), jnp.int32(0)),
    )
    return Record(
        won=game.status(now) == GameStatus.WON,
        clicks=clicks,
        guesses=guesses,
        rounds=rounds,
        opened=bitboard.count(now.opened & ~now.mines),
    )


@eqx.filter_jit
def play_batch(
    strategy: AbstractStrategy,
    table: Table,
    seed: Integer[Array, ""] | np.uint32,
    numbers: Integer[Array | np.ndarray, " batch"],
) -> Record:
    """The games of these numbers, side by side, in one compiled call."""
    play = lambda number: play_game(strategy, table, seed, number)  # noqa: E731
    return jax.vmap(play, in_axes=-1, out_axes=-1)(numbers)


def play_games(
    strategy: AbstractStrategy, opening: Opening, seed: int, games: int, batch: int = 2048
) -> Iterator[Record]:
    """Games 0 to `games` − 1, in order, as records of up to `batch` games on the host."""
    table, batch = Table.of(opening), min(batch, games)
    for start in range(0, games, batch):
        # The last batch is filled up with games that are dropped, so as to compile one shape only.
        numbers = np.arange(start, start + batch, dtype=np.uint32)
        record = play_batch(strategy, table, np.uint32(seed), numbers)
        kept = min(batch, games - start)
        yield jax.tree.map(lambda leaf, kept=kept: np.asarray(leaf)[:kept], record)
