"""A reinforcement-learning environment: a batch of games, one cell opened in each per step.

The start rule depends on the first cell, so that mines are placed once it is chosen. Functions take
and return whole batches, batch last. Work that few games need in a step (placing mines, the flood
fill around a 0) is done only for those.
"""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, Shaped, UInt32

from jaxsweep.rules import arrays, bitboard, game
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.game import Game, GameStatus, Seed, layout_key
from jaxsweep.rules.level import Level, Start
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize

SHARE = 8
"""One game in this many gets its mines, or a flood fill, at a time: few need it per step."""


class EnvState(eqx.Module):
    """The state of a batch of games."""

    mines: UInt32[Array, "rows words batch"]
    opened: UInt32[Array, "rows words batch"]
    game_number: UInt32[Array, " batch"]
    mines_placed: Bool[Array, " batch"]
    """Whether the first cell is chosen and the mines are placed."""


class StepResult(eqx.Module):
    """The result of a step in each game."""

    reward: Float[Array, "*batch"]
    """The fraction of all safe cells that the step opened; 0 for a mine or an open cell."""
    done: Bool[Array, "*batch"]
    won: Bool[Array, "*batch"]


class Environment(eqx.Module):
    """Minesweeper of one level and start rule."""

    level: Level = eqx.field(static=True)
    start: Start = eqx.field(static=True, default=Start.SAFE)

    def reset(self, batch: int) -> EnvState:
        """Returns games 0 to `batch` − 1, with all cells hidden."""
        shape = (*bitboard.rectangle(self.level.rows, self.level.cols).shape, batch)
        nothing = jnp.zeros(shape, jnp.uint32)
        return EnvState(
            mines=nothing,
            opened=nothing,
            game_number=jnp.arange(batch, dtype=jnp.uint32),
            mines_placed=jnp.zeros((batch,), bool),
        )

    def step(
        self, state: EnvState, row: Int[Array, " batch"], col: Int[Array, " batch"], seed: Seed
    ) -> tuple[EnvState, StepResult]:
        """Opens a cell in each game; a finished game does not change."""
        key_of = partial(layout_key, jax.random.key(seed))
        boards = Boards(state.mines, state.opened, state.mines_placed)
        chosen = bitboard.single(row, col, state.mines)
        after, result = step_batch(
            self.level, self.start, boards, chosen, key_of, state.game_number
        )
        return EnvState(after.mines, after.opened, state.game_number, after.mines_placed), result

    def step_and_reset(
        self, state: EnvState, row: Int[Array, " batch"], col: Int[Array, " batch"], seed: Seed
    ) -> tuple[EnvState, StepResult]:
        """As `step`, but replaces a game that is over by a new one with all cells hidden."""
        after, result = self.step(state, row, col, seed)
        return EnvState(
            mines=after.mines,
            opened=bitboard.mask(~result.done, after.opened),
            game_number=after.game_number
            + jnp.where(result.done, len(result.done), 0).astype(jnp.uint32),
            mines_placed=after.mines_placed & ~result.done,
        ), result

    def view(self, state: EnvState) -> Position:
        """Returns what the players see."""
        cells = board_cells(self.level, len(state.game_number))
        seen = game.view(_games(cells, state.mines, state.opened))
        return eqx.tree_at(lambda p: p.mines, seen, jnp.full_like(seen.mines, self.level.mines))


class Boards(eqx.Module):
    """What a step changes in a batch of games."""

    mines: UInt32[Array, "rows words batch"]
    opened: UInt32[Array, "rows words batch"]
    mines_placed: Bool[Array, " batch"]


def step_batch(
    level: Level,
    start: Start,
    boards: Boards,
    chosen: UInt32[Array, "rows words batch"],
    key_of: Callable[[Array], Key[Array, ""]],
    named: Shaped[Array, "*name batch"],
) -> tuple[Boards, StepResult]:
    """Opens a cell in each game of a batch; a finished game does not change.

    Args:
        level: the level of all games.
        start: the rule by which mines are placed around the first cell.
        boards: the games.
        chosen: the mask of one cell in each game, or of none, where nothing is to happen.
        key_of: returns the key of a game's layout, given what names the game. It is asked only for
            those games that get their mines now.
        named: what names each game.

    """
    cells = board_cells(level, chosen.shape[-1])

    def place_mines(names: Array, first: Bits) -> Bits:
        return _place_mines(level, start, jax.vmap(key_of, in_axes=-1)(names), first)

    first = ~boards.mines_placed & bitboard.any_set(chosen)
    mines = _apply_where(first, place_mines, boards.mines, (named, chosen))
    before = _games(cells, mines, boards.opened)
    over = game.status(before) != GameStatus.PLAYING
    chosen = bitboard.mask(~over, chosen & ~boards.opened)
    floods = materialize(chosen & ~bitboard.dilate(mines))
    opened = _apply_where(
        bitboard.any_set(floods),
        lambda *some: game.open_cells(_games(*some[:3]), some[3]).opened,
        boards.opened | chosen,
        (cells, mines, boards.opened, chosen),
    )
    status = game.status(_games(cells, mines, opened))
    new = bitboard.count(opened & ~mines) - bitboard.count(boards.opened & ~mines)
    safe = max(level.cells - level.mines, 1)
    return Boards(mines, opened, boards.mines_placed | first), StepResult(
        reward=new.astype(jnp.float32) / jnp.float32(safe),
        done=status != GameStatus.PLAYING,
        won=status == GameStatus.WON,
    )


def board_cells(level: Level, batch: int) -> UInt32[Array, "rows words batch"]:
    """Returns the mask of the board's cells, once for each game."""
    cells = jnp.asarray(bitboard.rectangle(level.rows, level.cols))
    return jnp.broadcast_to(cells[..., None], (*cells.shape, batch))


def _place_mines(level: Level, start: Start, keys: Key[Array, " batch"], first: Bits) -> Bits:
    """Places the mines of games, given their first cells."""
    cells = board_cells(level, len(keys))
    mine_free = {
        Start.ANY: jnp.zeros_like(cells),
        Start.SAFE: first,
        Start.ZERO: bitboard.dilate(first),
    }[start]
    return game.deal(keys, cells, cells & ~mine_free, jnp.int32(level.mines)).mines


def _games(cells: Bits, mines: Bits, opened: Bits) -> Game:
    return Game(cells, mines, opened, jnp.zeros_like(mines))


def _apply_where(
    which: Bool[Array, " batch"],
    work: Callable[..., Bits],
    boards: UInt32[Array, "rows words batch"],
    given: tuple[Array, ...],
) -> UInt32[Array, "rows words batch"]:
    """Replaces the boards where `which` holds by `work(*given)`, a few of the batch at a time."""
    batch = which.shape[0]
    size = max(1, batch // SHARE)

    def step(state):
        left, boards = state
        some, valid = arrays.compact(left, size)
        done = work(*(leaf[..., some] for leaf in given))
        index = jnp.where(valid, some, batch)
        left = left.at[index].set(False, mode="drop")
        return left, boards.at[..., index].set(done, mode="drop")

    return jax.lax.while_loop(lambda state: jnp.any(state[0]), step, (which, boards))[1]


def random_cells(
    level: Level, key: Array, batch: int
) -> tuple[Int[Array, " batch"], Int[Array, " batch"]]:
    """Draws the row and column of a uniformly random cell for each game."""
    cell = jax.random.randint(key, (batch,), 0, level.cells, jnp.int32)
    return cell // level.cols, cell % level.cols
