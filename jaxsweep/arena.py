"""Whole games, played by a strategy, in batches.

A game is a function of the opening, the strategy, the seed and the game's number alone: the same
whatever the batch it is played in. What is certain is opened on the device until every game of a
batch is stuck or over; only stuck games reach the strategy's guess, and new games take the place of
finished ones.
"""

from collections.abc import Iterator
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Integer, Key

from jaxsweep import bitboard, game
from jaxsweep.bitboard import Bits
from jaxsweep.game import Game, GameStatus
from jaxsweep.level import Opening
from jaxsweep.position import Position
from jaxsweep.strategies import AbstractStrategy, Deduction, Move, Reason, certain_move

FIRST_ROUNDS = 8
"""Moves that the quickest deduction makes before its games line up again."""

_batched = partial(jax.vmap, in_axes=-1, out_axes=-1)


class Record(eqx.Module):
    """How games went: one entry a game."""

    number: Integer[np.ndarray, " games"]
    won: Bool[np.ndarray, " games"]
    clicks: Int[np.ndarray, " games"]
    """Cells the player asked to open, the first one included; what opens by itself is free."""
    guesses: Int[np.ndarray, " games"]
    """Moves that could have hit a mine, the first cell not counted."""
    rounds: Int[np.ndarray, " games"]
    """Moves after the first cell; one move may open many cells."""
    opened: Int[np.ndarray, " games"]
    """Safe cells open at the end."""
    blind: Int[np.ndarray, " games"]
    """Guesses whose risk the player did not know: of an exact player, those over capacity."""
    wrong: Int[np.ndarray, " games"]
    """Moves that the player called certain, and that hit a mine: none, if it is sound."""


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


class Lane(eqx.Module):
    """A game under way, or a batch of them, last."""

    game: Game
    number: Integer[Array, ""]
    clicks: Int[Array, ""]
    guesses: Int[Array, ""]
    rounds: Int[Array, ""]
    blind: Int[Array, ""]
    wrong: Int[Array, ""]


def begin(
    table: Table, seed: Integer[Array, ""] | np.uint32, number: Integer[Array, ""] | np.uint32
) -> Game:
    """Game `number` of a seed, with its first cell open."""
    key = game.deal_key(game.game_key(seed, number))
    dealt = game.deal(key, table.cells, table.minable, table.mines)
    return game.open_cells(dealt, bitboard.single(table.row, table.col, dealt.cells))


def act(now: Game, move: Move) -> Game:
    """Makes a move; it leaves flags on the mines the player knows of, for people to see."""
    flagged = eqx.tree_at(lambda g: g.flags, now, move.flags & ~now.opened)
    return game.open_cells(flagged, move.opens)


def advance(deduction: Deduction, rounds: int, lane: Lane) -> tuple[Lane, Bool[Array, ""]]:
    """Makes up to `rounds` moves that a deduction finds; and whether it may find more."""

    def step(state):
        lane, _, made = state
        move = certain_move(deduction(game.view(lane.game)))
        found = bitboard.any_set(move.opens) & (game.status(lane.game) == GameStatus.PLAYING)
        return jax.tree.map(partial(jnp.where, found), moved(lane, move), lane), found, made + 1

    lane, found, _ = jax.lax.while_loop(
        lambda state: state[1] & (state[2] < rounds), step, (lane, jnp.asarray(True), jnp.int32(0))
    )
    return lane, found


def moved(lane: Lane, move: Move) -> Lane:
    """The lane after a move."""
    is_guess = move.reason >= Reason.IN_ORDER
    hit = bitboard.any_set(move.opens & lane.game.mines)
    return Lane(
        game=act(lane.game, move),
        number=lane.number,
        clicks=lane.clicks + bitboard.count(move.opens),
        guesses=lane.guesses + is_guess.astype(jnp.int32),
        rounds=lane.rounds + 1,
        blind=lane.blind + (move.risk < 0).astype(jnp.int32),
        wrong=lane.wrong + (hit & ~is_guess).astype(jnp.int32),
    )


@eqx.filter_jit
def deal_lanes(
    table: Table,
    seed: Integer[Array, ""] | np.uint32,
    numbers: Integer[Array | np.ndarray, " batch"],
) -> Lane:
    """New games, with their first cell open."""

    def one(number):
        none = jnp.int32(0)
        return Lane(begin(table, seed, number), number, jnp.int32(1), none, none, none, none)

    return _batched(one)(numbers)


@partial(jax.jit, static_argnames=("deduction", "rounds"))
def advance_lanes(
    lanes: Lane, deduction: Deduction, rounds: int
) -> tuple[Lane, Bool[Array, " batch"], Int[Array, " batch"]]:
    """`advance` for a batch, and the status of each game."""
    lanes, found = _batched(partial(advance, deduction, rounds))(lanes)
    return lanes, found, _batched(game.status)(lanes.game)


@jax.jit
def look(
    lanes: Lane, seed: Integer[Array, ""] | np.uint32
) -> tuple[Position, Key[Array, " batch"]]:
    """What the strategy sees of each game, and the key it may use."""

    def one(lane: Lane):
        key = game.move_key(game.game_key(seed, lane.number), lane.rounds)
        return game.view(lane.game), key

    return _batched(one)(lanes)


@jax.jit
def make_moves(lanes: Lane, moves: Move) -> tuple[Lane, Int[Array, " batch"]]:
    """The lanes after a move each, and the status of each game."""
    lanes = _batched(moved)(lanes, moves)
    return lanes, _batched(game.status)(lanes.game)


def play_games(
    strategy: AbstractStrategy, opening: Opening, seed: int, games: int, batch: int = 1024
) -> Iterator[Record]:
    """Games 0 to `games` − 1, as records on the host, in the order in which they end.

    Games wait in line for the deduction they need next, the last line being that for a guess. A
    line is served when it fills a batch, so that no game waits for another's deductions.
    """
    table, batch, key = Table.of(opening), min(batch, games), np.uint32(seed)
    deductions = strategy.deductions
    lines: list[Lane | None] = [None] * (len(deductions) + 1)
    dealt = 0
    while dealt < games or any(line is not None for line in lines):
        sizes = [_size(line) for line in lines]
        if max(sizes) < batch and dealt < games:
            # The last deal is filled up with games that are dropped: one shape, one kernel.
            numbers = np.arange(dealt, dealt + batch, dtype=np.uint32)
            lanes = deal_lanes(table, key, numbers)
            served, real, dealt = 0, min(batch, games - dealt), min(dealt + batch, games)
        else:
            # The last of the full lines, or at the end of a run the longest.
            served = max(range(len(sizes)), key=lambda i: (min(sizes[i], batch), i))
            lanes, lines[served] = _split(lines[served], batch)
            real = _size(lanes)
            lanes = _pad(lanes, batch)
        if served < len(deductions):
            rounds = FIRST_ROUNDS if served == 0 else 1
            lanes, found, status = advance_lanes(lanes, deductions[served], rounds)
        else:
            lanes, status = make_moves(lanes, strategy.guess(*look(lanes, key)))
            found = np.full(batch, True)
        lanes, found, status = jax.device_get((lanes, found, status))
        playing = status == GameStatus.PLAYING
        real_ones = np.arange(batch) < real
        for line, which in (
            (0, real_ones & playing & found),
            (served + 1, real_ones & playing & ~found),
        ):
            if which.any():
                lines[line] = _join(lines[line], _take(lanes, which))
        over = real_ones & ~playing
        if over.any():
            yield _record(_take(lanes, over), status[over])


def _size(line: Lane | None) -> int:
    return 0 if line is None else len(line.number)


def _take(lanes: Lane, which: Bool[np.ndarray, " batch"]) -> Lane:
    return jax.tree.map(lambda leaf: leaf[..., which], lanes)


def _split(lanes: Lane | None, size: int) -> tuple[Lane, Lane | None]:
    """The first `size` games of a line, and the rest."""
    first = jax.tree.map(lambda leaf: leaf[..., :size], lanes)
    rest = jax.tree.map(lambda leaf: leaf[..., size:], lanes)
    return first, rest if _size(rest) else None


def _pad(lanes: Lane, size: int) -> Lane:
    """Fills a batch up with covered boards: on those, no engine has anything to do."""
    real = _size(lanes)
    which = np.minimum(np.arange(size), real - 1)
    padded = jax.tree.map(lambda leaf: leaf[..., which], lanes)
    opened = np.where(np.arange(size) < real, padded.game.opened, np.uint32(0))
    return eqx.tree_at(lambda lane: lane.game.opened, padded, opened)


def _join(line: Lane | None, lanes: Lane) -> Lane:
    if line is None:
        return lanes
    return jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=-1), line, lanes)


def _record(lanes: Lane, status: Int[np.ndarray, " games"]) -> Record:
    shown = np.asarray(lanes.game.opened) & ~np.asarray(lanes.game.mines)
    return Record(
        number=np.asarray(lanes.number),
        won=status == GameStatus.WON,
        clicks=np.asarray(lanes.clicks),
        guesses=np.asarray(lanes.guesses),
        rounds=np.asarray(lanes.rounds),
        opened=np.bitwise_count(shown).sum((0, 1), dtype=np.int32),
        blind=np.asarray(lanes.blind),
        wrong=np.asarray(lanes.wrong),
    )
