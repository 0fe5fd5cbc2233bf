"""Connected components of the frontier: the types that counting kernels take and return.

Boundary cells that share numbers, directly or through others, form a component. Components depend
on each other through the total mine count alone, so that each can be counted by itself.
"""

from typing import Protocol, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree, UInt32

from jaxsweep.rules import frontier

MAX_MINE_COUNTS = 32
"""The most distinct mine counts of one component: they are the bits of one word."""


@runtime_checkable
class Capacity(Protocol):
    """The static capacities of a kernel that counts components."""

    @property
    def cells(self) -> int:
        """Cells of a component."""
        ...

    @property
    def numbers(self) -> int:
        """Numbers of a component."""
        ...

    @property
    def mine_counts(self) -> int:
        """Distinct mine counts of a component."""
        ...

    @property
    def bytes(self) -> int:
        """Memory for the messages of one component."""
        ...

    @property
    def min_components(self) -> int:
        """The fewest components to count for which this kernel is worth its compilation."""
        ...


class Component(eqx.Module):
    """The cells and numbers of a component, padded with `FAR`; or of a batch of components.

    Cells are in elimination order; `residual` is the number of mines that a number still needs.
    """

    cell_row: Int[Array | np.ndarray, "*batch cells"]
    cell_col: Int[Array | np.ndarray, "*batch cells"]
    number_row: Int[Array | np.ndarray, "*batch numbers"]
    number_col: Int[Array | np.ndarray, "*batch numbers"]
    residual: Int[Array | np.ndarray, "*batch numbers"]

    def adjacency(self) -> Bool[Array, "numbers cells"]:
        """Tells which cells of one component are next to which numbers; on the device."""
        cells = jnp.asarray(self.cell_row), jnp.asarray(self.cell_col)
        numbers = jnp.asarray(self.number_row), jnp.asarray(self.number_col)
        return jnp.asarray(frontier.adjacency(cells, numbers))


class ComponentCounts(eqx.Module):
    """The number of layouts of each component by mine count: entry k is for `min_mines + k`."""

    min_mines: Int[Array, " batch"]
    layouts: Float[Array, "batch mine_counts"]
    fits: Bool[Array, " batch"]
    """False where a capacity was exceeded: the other fields are meaningless there."""
    messages: PyTree
    """What the engine needs to compute the marginals of the cells."""
    layouts_modulo: UInt32[Array, "batch mine_counts"] | None = None
    """`layouts` modulo 2³², without rounding, from engines that compute it."""


class CellMarginals(eqx.Module):
    """The mine probability of each cell of a component, and which values are possible."""

    mine: Float[Array, "*cells"]
    can_mine: Bool[Array, "*cells"]
    can_clear: Bool[Array, "*cells"]
