"""What a strategy is, and what it answers."""

import abc
import enum

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from jaxsweep.beliefs import Beliefs
from jaxsweep.rules import bitboard
from jaxsweep.rules.board import Cell, cells_of
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.position import Position, from_grid
from jaxsweep.rules.reasons import Reason, Rules
from jaxsweep.rules.threefry import KeyWords
from jaxsweep.scalar.advice import Advice


class Move(eqx.Module):
    """Cells to open, all for one reason, and cells known to be mines; or a batch of moves, last."""

    opens: UInt32[Array | np.ndarray, "rows words *batch"]
    flags: UInt32[Array | np.ndarray, "rows words *batch"]
    reason: Int[Array | np.ndarray, "*batch"]
    """A `Reason`."""
    risk: Float[Array | np.ndarray, "*batch"]
    """The mine probability of a guessed cell, 0 for certain cells, or `UNKNOWN_RISK`."""


class AbstractStrategy(eqx.Module):
    """A way to choose the next cells: what its deduction rules prove safe, and else a guess.

    What a strategy does in a position depends on that position and the key alone.
    """

    @property
    @abc.abstractmethod
    def rules(self) -> Rules:
        """The deduction rules that are exhausted before the strategy has to guess."""

    @abc.abstractmethod
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Returns moves for a batch of positions, batch last, in which no rule finds a safe cell.

        Each move opens at least one hidden cell. Called on the host with few batch sizes.
        """

    def advise(
        self,
        position: GridPosition,
        key: KeyWords,
        beliefs: Beliefs | None = None,
        layouts: int | None = None,
    ) -> Advice:
        """Returns the guess in one position with everything that was found out on the way.

        `beliefs` and `layouts` are what the strategy's own engine inferred of this position, from
        callers that asked it already; a strategy that needs beliefs asks if it is given none.
        """
        moves = self.guess(batch_of_one(from_grid(*position)), keys_of([key]))
        return to_advice(first_of_batch(moves), position, engine_beliefs=beliefs, layouts=layouts)

    @property
    def few_games(self) -> int:
        """Up to so many expert games, guesses one by one take less time than compiling does."""
        return 0

    def guesses_on(self, platform: str) -> bool:
        """Returns whether games on devices of this platform are played by `guess_on_device`.

        Else they are played by `guess`, on the host: where that is faster, or the only way.
        """
        return False

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """As `guess`, but to be traced into a device program: moves, and a `Readiness` for each."""
        raise TypeError(f"{type(self).__name__} guesses on the host only")


class AbstractTraceableStrategy(AbstractStrategy):
    """A strategy whose guess is one JAX function: it runs unchanged on the host and the device."""

    @abc.abstractmethod
    def choose(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Returns the moves for a batch of positions, batch last; called under `jax.jit`."""

    def guesses_on(self, platform: str) -> bool:
        """Everywhere: the guess is part of the device's program."""
        return True

    @eqx.filter_jit
    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Compiles and runs `choose`."""
        return self.choose(positions, keys)

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """Runs `choose`: every move is `READY`."""
        ready = jnp.full_like(positions.mines, Readiness.READY)
        return self.choose(positions, keys), ready


class Readiness(enum.IntEnum):
    """What became of a guess on the device."""

    READY = 0
    RETRY = 1
    """The batch had no room for the position: ask again in another one."""
    NEEDS_HOST = 2
    """The position is beyond the device's capacity: `AbstractStrategy.guess` can do it."""


def batch_of_one(tree):
    """Adds a batch axis of size 1 at the end of every leaf."""
    return jax.tree.map(lambda leaf: leaf[..., None], tree)


def first_of_batch(tree):
    """Takes the first entry of a batch, last, from every leaf."""
    return jax.tree.map(lambda leaf: leaf[..., 0], tree)


def keys_of(words: list[KeyWords]) -> Key[Array, " batch"]:
    """Returns a batch of JAX's keys with these words."""
    return jax.random.wrap_key_data(jnp.array(words, jnp.uint32))


def to_advice(move: Move, position: GridPosition, **found) -> Advice:
    """Returns a move in one position as advice, with what was `found` on the way."""
    host, (rows, cols) = jax.device_get(move), position.grid.shape

    def cells(bits: UInt32[np.ndarray, "rows words"]) -> tuple[Cell, ...]:
        return tuple(cells_of(np.asarray(bitboard.unpack(bits, cols))[:rows]))

    risk = float(host.risk)
    return Advice(
        cells=cells(host.opens),
        mines=cells(host.flags),
        reason=Reason(int(host.reason)),
        risk=risk if risk >= 0 else None,
        **found,
    )
