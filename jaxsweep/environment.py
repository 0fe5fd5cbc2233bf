"""An environment for learners: batches of games, one cell opened in each of them a step.

The first cell of a game is protected by the start rule, so that mines are laid when it is known.
Functions take and give whole batches, batch last. Work that few games need in a step, laying mines
and opening around a 0, is done for those alone.
"""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.rules import bitboard, game
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.game import Game, GameStatus, Seed
from jaxsweep.rules.level import Level, Start
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.simulation.episode import batched

SHARE = 8
"""One game in so many is laid out, or flooded, at a time: few need it in the same step."""


class State(eqx.Module):
    """A batch of games, last."""

    mines: UInt32[Array, "rows words batch"]
    opened: UInt32[Array, "rows words batch"]
    number: UInt32[Array, " batch"]
    laid: Bool[Array, " batch"]
    """Whether the mines are laid: not before the first cell is chosen."""


class Outcome(eqx.Module):
    """What came of a step, game by game."""

    reward: Float[Array, "*batch"]
    """The share of the safe cells that were opened; 0 for a mine, and for an open cell."""
    done: Bool[Array, "*batch"]
    won: Bool[Array, "*batch"]


class Environment(eqx.Module):
    """Minesweeper of one level and start rule, to be stepped in batches."""

    level: Level = eqx.field(static=True)
    start: Start = eqx.field(static=True, default=Start.SAFE)

    def reset(self, batch: int) -> State:
        """Games 0 to `batch` − 1, covered."""
        shape = (*bitboard.rectangle(self.level.rows, self.level.cols).shape, batch)
        nothing = jnp.zeros(shape, jnp.uint32)
        return State(
            mines=nothing,
            opened=nothing,
            number=jnp.arange(batch, dtype=jnp.uint32),
            laid=jnp.zeros((batch,), bool),
        )

    def step(
        self, state: State, row: Int[Array, " batch"], col: Int[Array, " batch"], seed: Seed
    ) -> tuple[State, Outcome]:
        """Opens a cell in each game; a game that is over stays as it is."""
        cells = self._cells(len(state.number))
        chosen = bitboard.single(row, col, cells)
        lay = batched(partial(self._lay, seed))
        mines = _for_some(~state.laid, lay, state.mines, (state.number, chosen))
        before = _games(cells, mines, state.opened)
        over = game.status(before) != GameStatus.PLAYING
        chosen = bitboard.mask(~over, chosen & ~state.opened)
        floods = materialize(chosen & ~bitboard.dilate(mines))
        opened = _for_some(
            bitboard.any_set(floods),
            lambda *some: game.open_cells(_games(*some[:3]), some[3]).opened,
            state.opened | chosen,
            (cells, mines, state.opened, chosen),
        )
        status = game.status(_games(cells, mines, opened))
        new = bitboard.count(opened & ~mines) - bitboard.count(state.opened & ~mines)
        safe = max(self.level.cells - self.level.mines, 1)
        after = State(mines, opened, state.number, jnp.ones_like(state.laid))
        return after, Outcome(
            reward=new.astype(jnp.float32) / jnp.float32(safe),
            done=status != GameStatus.PLAYING,
            won=status == GameStatus.WON,
        )

    def step_and_reset(
        self, state: State, row: Int[Array, " batch"], col: Int[Array, " batch"], seed: Seed
    ) -> tuple[State, Outcome]:
        """As `step`; a game that is over then is followed by a new one, covered."""
        after, outcome = self.step(state, row, col, seed)
        return State(
            mines=after.mines,
            opened=bitboard.mask(~outcome.done, after.opened),
            number=after.number + jnp.where(outcome.done, len(outcome.done), 0).astype(jnp.uint32),
            laid=after.laid & ~outcome.done,
        ), outcome

    def view(self, state: State) -> Position:
        """What the players see."""
        seen = game.view(_games(self._cells(len(state.number)), state.mines, state.opened))
        return eqx.tree_at(lambda p: p.mines, seen, jnp.full_like(seen.mines, self.level.mines))

    def _cells(self, batch: int) -> UInt32[Array, "rows words batch"]:
        cells = jnp.asarray(bitboard.rectangle(self.level.rows, self.level.cols))
        return jnp.broadcast_to(cells[..., None], (*cells.shape, batch))

    def _lay(self, seed: Seed, number: UInt32[Array, ""], chosen: Bits) -> Bits:
        """The mines of a game whose first cell is known."""
        cells = jnp.asarray(bitboard.rectangle(self.level.rows, self.level.cols))
        clear = {
            Start.ANY: jnp.zeros_like(cells),
            Start.SAFE: chosen,
            Start.ZERO: bitboard.dilate(chosen),
        }[self.start]
        key = game.deal_key(game.game_key(seed, number))
        return game.deal(key, cells, cells & ~clear, jnp.int32(self.level.mines)).mines


def _games(cells: Bits, mines: Bits, opened: Bits) -> Game:
    return Game(cells, mines, opened, jnp.zeros_like(mines))


def _for_some(
    which: Bool[Array, " batch"],
    work: Callable[..., Bits],
    boards: UInt32[Array, "rows words batch"],
    given: tuple[Array, ...],
) -> UInt32[Array, "rows words batch"]:
    """The boards with `work` done to some of them, as many at a time as few steps need."""
    batch = which.shape[0]
    size = max(1, batch // SHARE)

    def step(state):
        left, boards = state
        some, valid = bitboard.compact(left, size)
        done = work(*(leaf[..., some] for leaf in given))
        index = jnp.where(valid, some, batch)
        left = left.at[index].set(False, mode="drop")
        return left, boards.at[..., index].set(done, mode="drop")

    return jax.lax.while_loop(lambda state: jnp.any(state[0]), step, (which, boards))[1]


def random_cells(
    level: Level, key: Array, batch: int
) -> tuple[Int[Array, " batch"], Int[Array, " batch"]]:
    """Any cells: what a learner begins with."""
    cell = jax.random.randint(key, (batch,), 0, level.cells, jnp.int32)
    return cell // level.cols, cell % level.cols
