"""What an engine says of a position: how likely each hidden cell is a mine, and how surely."""

import enum

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Bool, Float, Int


class Status(enum.IntEnum):
    """How far beliefs can be trusted."""

    EXACT = 0
    """Every probability is the true one, up to rounding below 1e-5."""
    INCONSISTENT = 1
    """No layout fits the position: there are no probabilities."""
    OVER_CAPACITY = 2
    """The engine's capacity or budget ended: nothing is said of the position but `safe` and
    `mines`, which hold what simpler means settled for certain."""
    ESTIMATE = 3
    """Probabilities are estimates; `error` says how far they may be off."""
    SCORE = 4
    """There are no probabilities, but a `score` that orders the cells."""


class Beliefs(eqx.Module):
    """Beliefs of one position, or of a batch with one more axis in front. All on the host."""

    mine_probability: Float[np.ndarray | Array, "*batch rows cols"]
    """Of hidden cells; 0 in open cells, off the board, and where `status` gives no probability."""
    error: Float[np.ndarray | Array, "*batch rows cols"]
    """Of `mine_probability`: 0 where exact, a standard error where sampled, inf where unknown."""
    safe: Bool[np.ndarray | Array, "*batch rows cols"]
    """Hidden cells that are a mine in no consistent layout: by possibility, not by rounding."""
    mines: Bool[np.ndarray | Array, "*batch rows cols"]
    """Hidden cells that are a mine in every consistent layout."""
    log_layouts: Float[np.ndarray | Array, "*batch"]
    """The natural logarithm of the number of consistent layouts; −inf if not exact, or none."""
    status: Int[np.ndarray | Array, "*batch"]
    score: Float[np.ndarray | Array, "*batch rows cols"] | None = None
    """Of engines that have no probabilities: the lower, the likelier safe. On no known scale; inf
    for certain mines."""

    @property
    def has_odds(self) -> Bool[np.ndarray, "*batch"]:
        """Which positions have probabilities, exact or estimated."""
        return np.isin(np.asarray(self.status), (Status.EXACT, Status.ESTIMATE))

    @property
    def effective_samples(self) -> Float[np.ndarray, "*batch rows cols"]:
        """How many independent draws would give these errors; inf where nothing was drawn."""
        chance, error = (np.asarray(x, np.float64) for x in (self.mine_probability, self.error))
        drawn = np.isfinite(error) & (error > 0)
        return np.where(drawn, chance * (1 - chance) / np.where(drawn, error, 1.0) ** 2, np.inf)

    def put(self, which: Int[np.ndarray, " some"], others: "Beliefs") -> "Beliefs":
        """A batch with the beliefs of some positions replaced."""

        def replace(leaf, part):
            whole = np.array(leaf)
            whole[which] = part
            return whole

        return jax.tree.map(replace, self, others)
