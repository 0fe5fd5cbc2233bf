"""What an engine infers about a position: the mine probability of every hidden cell.

One class serves the host and the device. On the host, where `jaxsweep.infer` returns it, a batch
is the first axis, as NumPy users expect. In device programs a batch is the last axis, as in every
array of boards there (`rules.bitboard` says why); `engines.device_beliefs` has what devices need.
"""

import enum
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int


class Status(enum.IntEnum):
    """What kind of beliefs an engine returned for a position."""

    EXACT = 0
    """Every probability is the true one, up to rounding below 1e-5."""
    INCONSISTENT = 1
    """No layout satisfies the position: there are no probabilities."""
    OVER_CAPACITY = 2
    """The engine ran out of capacity or budget: `safe` and `mines` hold only what simpler rules
    prove, and there are no probabilities."""
    ESTIMATE = 3
    """Probabilities are estimates; `error` says how far off they may be."""
    SCORE = 4
    """There are no probabilities, but a `score` that orders the cells."""
    BATCH_FULL = 5
    """Device only: the other positions of the batch left no room. Nothing is known yet, and the
    position can be retried in another batch."""

    @property
    def message(self) -> str:
        """The status in words."""
        return _MESSAGES[self]

    @property
    def has_probabilities(self) -> bool:
        """Whether beliefs of this status hold probabilities, exact or estimated."""
        return self in _WITH_PROBABILITIES


_WITH_PROBABILITIES = (Status.EXACT, Status.ESTIMATE)

_MESSAGES = {
    Status.EXACT: "exact probabilities",
    Status.INCONSISTENT: "no layout satisfies the position",
    Status.OVER_CAPACITY: "over the capacity or the budget of the engine",
    Status.ESTIMATE: "estimated probabilities",
    Status.SCORE: "scores, not probabilities",
    Status.BATCH_FULL: "no room in the batch",
}


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Beliefs about one position, or about a batch of positions.

    Arrays over cells have axes `[rows, cols]`; a batch is one more axis, in front on the host and
    at the end on the device.
    """

    mine_probability: Float[Any, "*grid"]
    """Of hidden cells; 0 in open cells and off the board. Where `status` has no probabilities, 0;
    but on the device certain mines may have 1 there."""
    error: Float[Any, "*grid"]
    """Of `mine_probability`: 0 where exact, a standard error where sampled, inf where unknown."""
    safe: Bool[Any, "*grid"]
    """Hidden cells that are a mine in no consistent layout: by possibility, never by rounding."""
    mines: Bool[Any, "*grid"]
    """Hidden cells that are a mine in every consistent layout."""
    log_layouts: Float[Any, "*batch"]
    """The natural logarithm of the number of consistent layouts. Where `status` is not `EXACT`, it
    is −inf on the host, and has no meaning on the device."""
    status: Int[Any, "*batch"]
    """A `Status` for each position."""
    score: Float[Any, "*grid"] | None = None
    """From engines without probabilities: the lower, the likelier safe. On no known scale; inf for
    certain mines."""

    @classmethod
    def build(
        cls,
        *,
        status: Int[np.ndarray, " batch"],
        mine_probability: Float[np.ndarray, "batch rows cols"],
        safe: Bool[np.ndarray, "batch rows cols"],
        mines: Bool[np.ndarray, "batch rows cols"],
        error: Float[np.ndarray, "batch rows cols"] | None = None,
        log_layouts: Float[np.ndarray, " batch"] | None = None,
        score: Float[np.ndarray, "batch rows cols"] | None = None,
    ) -> "Beliefs":
        """Builds the beliefs of an engine on the host, consistent with their status.

        Nothing is certain in an inconsistent position, certain cells have probability 0 or 1 and no
        error, and a position without probabilities has 0 everywhere. Only exact positions have a
        number of layouts. Raises `ValueError` for estimates without an `error`.
        """
        if error is None and (status == Status.ESTIMATE).any():
            raise ValueError("estimates need an error: inf in hidden cells where it is not known")
        consistent = (status != Status.INCONSISTENT)[:, None, None]
        has_probabilities = np.isin(status, _WITH_PROBABILITIES)[:, None, None]
        safe, mines = safe & consistent, mines & consistent
        # In place on one copy: a large batch has millions of cells.
        probability = np.clip(mine_probability, 0, 1, dtype=np.float32, casting="same_kind")
        probability[safe], probability[mines & ~safe] = 0.0, 1.0
        probability[~has_probabilities[:, 0, 0]] = 0.0
        if error is None:
            error = np.zeros(safe.shape, np.float32)
        else:
            known = safe | mines | ~has_probabilities
            error = np.where(known, 0.0, error).astype(np.float32)
        if score is not None:
            score = np.where(consistent, np.where(mines, np.inf, score), 0.0).astype(np.float32)
        logs = np.full(len(status), -np.inf) if log_layouts is None else log_layouts
        return cls(
            mine_probability=probability,
            safe=safe,
            mines=mines,
            log_layouts=np.where(status == Status.EXACT, logs, -np.inf),
            status=status.astype(np.int32),
            error=error,
            score=score,
        )

    @property
    def has_probabilities(self) -> Bool[np.ndarray, "*batch"]:
        """Which positions have probabilities, exact or estimated."""
        return np.isin(np.asarray(self.status), _WITH_PROBABILITIES)

    @property
    def effective_samples(self) -> Float[np.ndarray, "*grid"]:
        """The number of independent samples with this error; inf where nothing was sampled."""
        probability, error = (
            np.asarray(x, np.float64) for x in (self.mine_probability, self.error)
        )
        sampled = np.isfinite(error) & (error > 0)
        variance = probability * (1 - probability)
        return np.where(sampled, variance / np.where(sampled, error, 1.0) ** 2, np.inf)

    def at(self, index: int) -> "Beliefs":
        """Returns the beliefs about one position of a batch on the host."""
        leaves = {item.name: getattr(self, item.name) for item in fields(self)}
        return Beliefs(**{name: None if x is None else x[index] for name, x in leaves.items()})

    def replace_at(self, which: Int[np.ndarray, " some"], others: "Beliefs") -> "Beliefs":
        """Returns a batch on the host with the beliefs about some positions replaced."""

        def replace(leaf, part):
            whole = np.array(leaf)
            whole[which] = part
            return whole

        changed = {
            item.name: None
            if getattr(self, item.name) is None
            else replace(getattr(self, item.name), getattr(others, item.name))
            for item in fields(self)
        }
        return Beliefs(**changed)


def crop(beliefs: Beliefs, rows: int, cols: int) -> Beliefs:
    """Returns beliefs about one position without the padding of its container."""

    def cut(leaf):
        return leaf[:rows, :cols] if np.ndim(leaf) == 2 else leaf

    return Beliefs(**{item.name: cut(getattr(beliefs, item.name)) for item in fields(beliefs)})
