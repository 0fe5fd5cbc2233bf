"""What an engine says of a position: how likely each hidden cell is a mine, and how surely."""

import enum

import equinox as eqx
import numpy as np
from jaxtyping import Array, Bool, Float, Int


class Status(enum.IntEnum):
    """How far beliefs can be trusted."""

    EXACT = 0
    """Every probability is the true one, up to rounding below 1e-5."""
    INCONSISTENT = 1
    """No layout fits the position: there are no probabilities."""
    OVER_CAPACITY = 2
    """The position is too large for the engine: nothing is said of it but `safe` and `mines`,
    which hold what simpler means settled for certain."""


class Beliefs(eqx.Module):
    """Beliefs of one position, or of a batch with one more axis in front. All on the host."""

    mine_probability: Float[np.ndarray | Array, "*batch rows cols"]
    """Of hidden cells; 0 in open cells, off the board, and wherever `status` is not exact."""
    safe: Bool[np.ndarray | Array, "*batch rows cols"]
    """Hidden cells that are a mine in no consistent layout: by possibility, not by rounding."""
    mines: Bool[np.ndarray | Array, "*batch rows cols"]
    """Hidden cells that are a mine in every consistent layout."""
    log_layouts: Float[np.ndarray | Array, "*batch"]
    """The natural logarithm of the number of consistent layouts; −inf if there are none."""
    status: Int[np.ndarray | Array, "*batch"]
