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

from jaxsweep import bitboard, game
from jaxsweep.bitboard import Bits
from jaxsweep.game import Game, GameStatus, Seed
from jaxsweep.level import Level, Start
from jaxsweep.position import Position

SHARE = 8
"""One game in so many is laid out, or flooded, at a time: few need it in the same step."""

_batched = partial(jax.vmap, in_axes=-1, out_axes=-1)


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
        cells = jnp.asarray(bitboard.rectangle(self.level.rows, self.level.cols))
        chosen = _batched(lambda r, c: bitboard.single(r, c, cells))(row, col)
        mines = _for_some(
            ~state.laid, partial(self._lay, seed), state.mines, (state.number, chosen)
        )
        over = _batched(lambda m, o: _is_over(cells, m, o))(mines, state.opened)
        hit = state.opened | jnp.where(over, jnp.uint32(0), chosen)
        floods = ~over & _batched(lambda m, c: _is_zero(m, c))(mines, chosen & ~state.opened)
        opened = _for_some(floods, partial(_flood, cells), hit, (mines, hit))
        after = State(mines, opened, state.number, jnp.ones_like(state.laid))
        safe = max(self.level.cells - self.level.mines, 1)

        def judge(mines: Bits, before: Bits, opened: Bits) -> Outcome:
            status = game.status(Game(cells, mines, opened, jnp.zeros_like(mines)))
            new = bitboard.count(opened & ~mines) - bitboard.count(before & ~mines)
            return Outcome(
                reward=new.astype(jnp.float32) / jnp.float32(safe),
                done=status != GameStatus.PLAYING,
                won=status == GameStatus.WON,
            )

        return after, _batched(judge)(mines, state.opened, opened)

    def step_and_reset(
        self, state: State, row: Int[Array, " batch"], col: Int[Array, " batch"], seed: Seed
    ) -> tuple[State, Outcome]:
        """As `step`; a game that is over then is followed by a new one, covered."""
        after, outcome = self.step(state, row, col, seed)
        return State(
            mines=after.mines,
            opened=jnp.where(outcome.done, jnp.uint32(0), after.opened),
            number=after.number + jnp.where(outcome.done, len(outcome.done), 0).astype(jnp.uint32),
            laid=after.laid & ~outcome.done,
        ), outcome

    def view(self, state: State) -> Position:
        """What the players see."""
        cells = jnp.asarray(bitboard.rectangle(self.level.rows, self.level.cols))

        def one(mines: Bits, opened: Bits) -> Position:
            return game.view(Game(cells, mines, opened, jnp.zeros_like(mines)))

        seen = _batched(one)(state.mines, state.opened)
        return eqx.tree_at(lambda p: p.mines, seen, jnp.full_like(seen.mines, self.level.mines))

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


def _is_over(cells: Bits, mines: Bits, opened: Bits) -> Bool[Array, ""]:
    nothing = jnp.zeros_like(mines)
    return game.status(Game(cells, mines, opened, nothing)) != GameStatus.PLAYING


def _is_zero(mines: Bits, chosen: Bits) -> Bool[Array, ""]:
    return bitboard.any_set(chosen) & ~bitboard.any_set(bitboard.dilate(chosen) & mines)


def _flood(cells: Bits, mines: Bits, opened: Bits) -> Bits:
    """Opens everything around open zeros."""
    clear = cells & ~bitboard.dilate(mines)

    def spread(state):
        reached, _ = state
        grown = reached | (bitboard.dilate(reached & clear) & cells)
        return grown, bitboard.any_set(grown ^ reached)

    return jax.lax.while_loop(lambda s: s[1], spread, (opened, jnp.asarray(True)))[0]


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
        rank = jnp.where(left, bitboard.running_count(left) - 1, size)
        lane = jnp.arange(batch, dtype=jnp.int32)
        index = jnp.full((size,), batch, jnp.int32).at[rank].set(lane, mode="drop")
        some = jnp.minimum(index, batch - 1)
        done = _batched(work)(*(leaf[..., some] for leaf in given))
        left = left.at[index].set(False, mode="drop")
        return left, boards.at[..., index].set(done, mode="drop")

    return jax.lax.while_loop(lambda state: jnp.any(state[0]), step, (which, boards))[1]


def random_cells(
    level: Level, key: Array, batch: int
) -> tuple[Int[Array, " batch"], Int[Array, " batch"]]:
    """Any cells: what a learner begins with."""
    cell = jax.random.randint(key, (batch,), 0, level.cells, jnp.int32)
    return cell // level.cols, cell % level.cols
