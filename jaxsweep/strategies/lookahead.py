"""Look one number ahead: of the nearly safest cells, the one that leads to the safest next move.

For each candidate and each number that it may show, the position after that is one more entry of a
batch for the exact engine. A candidate's score is the chance to survive it, and then the two safest
cells that it leads to, weighed by the chances of the numbers.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from jaxsweep import bitboard
from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.bitboard import WORD
from jaxsweep.engines import Exact
from jaxsweep.inference import infer
from jaxsweep.position import Position
from jaxsweep.strategies.base import AbstractStrategy, Move, Readiness, Reason, Rules
from jaxsweep.strategies.least_belief import LeastBelief, around

SECOND = 0.2
"""The weight of the second safest cell after the number is seen."""

PROGRESS = 0.02
"""What the chance of a safe cell is worth beside that."""


class Lookahead(AbstractStrategy):
    """Looks one number ahead before it guesses, and plays the end by search."""

    within: float = 0.9
    """Candidates are at least so many times as safe as the safest cell."""
    most: int = 8
    """Candidates at most, the safest first, then those with the fewest covered neighbours."""
    ending: int = 100
    """With so few layouts left, or fewer, the end is searched through."""

    @property
    def rules(self) -> Rules:
        """Rules of one number; and of two numbers, and of the mine count."""
        return Rules.PAIR

    @property
    def _plain(self) -> LeastBelief:
        return LeastBelief(ending=self.ending)

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]] | None:
        """Cells that are safe for certain; all guesses are the host's."""
        answer = self._plain.guess_on_device(positions, keys)
        assert answer is not None
        move, ready = answer
        guess = (ready == Readiness.READY) & (move.reason == Reason.LEAST_RISK)
        return move, jnp.where(guess, Readiness.BEYOND, ready).astype(jnp.int32)

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Safe cells; else the candidate of the highest score, or the search's choice."""
        moves, beliefs = self._plain.guess_and_tell(positions, keys)
        reasons = np.asarray(moves.reason)
        open_to_choice = np.nonzero(reasons == Reason.LEAST_RISK)[0]
        if not len(open_to_choice):
            return moves
        host = jax.device_get(positions)
        some = jax.tree.map(lambda leaf: leaf[..., open_to_choice], host)
        own = jax.tree.map(lambda leaf: np.asarray(leaf)[open_to_choice], beliefs)
        which, rows, cols = self._candidates(some, own)
        scores = score(some, own, which, rows, cols)
        opens, reason, risk = (np.array(x) for x in (moves.opens, moves.reason, moves.risk))
        for i, entry in enumerate(open_to_choice):
            mine = np.nonzero(which == i)[0]
            if not len(mine):
                continue  # Only mines are left: the game is over.
            best = mine[np.argmax(scores[mine])]
            opens[..., entry] = 0
            opens[rows[best], cols[best] // WORD, entry] = np.uint32(1) << np.uint32(
                cols[best] % WORD
            )
            reason[entry] = Reason.LOOKAHEAD
            risk[entry] = own.mine_probability[i, rows[best], cols[best]]
        return Move(jnp.asarray(opens), moves.flags, jnp.asarray(reason), jnp.asarray(risk))

    def _candidates(
        self, positions: Position, beliefs: Beliefs
    ) -> tuple[Int[np.ndarray, " all"], Int[np.ndarray, " all"], Int[np.ndarray, " all"]]:
        """Positions, rows and columns of the candidates, position by position, safest first."""
        hidden = bitboard.unpack_batch(positions.hidden)
        maybe = hidden & ~np.asarray(beliefs.mines)
        safety = np.where(maybe, 1.0 - np.asarray(beliefs.mine_probability), -1.0)
        near_best = maybe & (safety >= self.within * safety.max((1, 2), keepdims=True))
        # Fewest covered neighbours break ties: what is told there is told of few cells.
        order = np.where(near_best, np.round(safety, 5) - 1e-6 * around(hidden), -1.0)
        flat = order.reshape(len(order), -1)
        places = np.argsort(-flat, axis=1, kind="stable")[:, : self.most]
        there = np.take_along_axis(flat, places, 1) >= 0
        which, rank = np.nonzero(there)
        place = places[which, rank]
        return which, place // hidden.shape[2], place % hidden.shape[2]


def score(
    positions: Position,
    beliefs: Beliefs,
    which: Int[np.ndarray, " candidates"],
    rows: Int[np.ndarray, " candidates"],
    cols: Int[np.ndarray, " candidates"],
) -> Float[np.ndarray, " candidates"]:
    """What opening each candidate is worth, by what it leads to."""
    hidden = bitboard.unpack_batch(positions.hidden)
    sure = around(np.asarray(beliefs.mines))[which, rows, cols]
    possible = around(hidden)[which, rows, cols]
    safe_near = around(np.asarray(beliefs.safe))[which, rows, cols]
    digit = np.arange(9)[None, :]
    asked, number = np.nonzero(
        (digit >= sure[:, None]) & (digit <= (possible - safe_near)[:, None])
    )
    after = infer(_shown(positions, which[asked], rows[asked], cols[asked], number), Exact())
    base = np.asarray(beliefs.log_layouts)[which[asked]]
    exact = np.asarray(after.status) == Status.EXACT
    share = np.where(exact, np.exp(np.asarray(after.log_layouts) - base), 0.0)
    first, second = _two_safest(after, bitboard.unpack_batch(positions.hidden)[which[asked]])
    progress = np.asarray(after.safe).any((1, 2))
    worth = ((1.0 - SECOND) * first + SECOND * second) * (1.0 + PROGRESS * progress)
    return np.bincount(asked, share * worth, minlength=len(which))


def _two_safest(
    after: Beliefs, hidden: Bool[np.ndarray, "batch rows cols"]
) -> tuple[Float[np.ndarray, " batch"], Float[np.ndarray, " batch"]]:
    """The safety of the two safest covered cells; 1 where there is none left to open."""
    chance = np.where(np.asarray(after.mines), 2.0, np.asarray(after.mine_probability))
    chance = np.where(hidden, chance, 2.0).reshape(len(hidden), -1)
    two = np.partition(chance, 1, axis=1)[:, :2]
    safety = np.where(two > 1.0, 1.0, 1.0 - two)
    return safety[:, 0], safety[:, 1]


def _shown(
    positions: Position,
    which: Int[np.ndarray, " asked"],
    rows: Int[np.ndarray, " asked"],
    cols: Int[np.ndarray, " asked"],
    number: Int[np.ndarray, " asked"],
) -> Position:
    """The positions in which each of these cells is open and shows its number."""
    taken = jax.tree.map(lambda leaf: np.array(np.asarray(leaf)[..., which]), positions)
    entry, word = np.arange(len(which)), cols // WORD
    bit = (np.uint32(1) << (cols % WORD).astype(np.uint32)).astype(np.uint32)
    at = (rows, word, entry)
    taken.hidden[at] &= ~bit
    taken.opened[at] |= bit
    for i, plane in enumerate(taken.numbers):
        plane[at] |= np.where((number >> i) & 1, bit, np.uint32(0)).astype(np.uint32)
    flags = np.zeros_like(taken.flags)
    return eqx.tree_at(lambda p: p.flags, taken, flags)
