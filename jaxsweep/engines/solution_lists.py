"""What the engines share that list all solutions of a component instead of merging states.

A list has a fixed number of slots; more solutions than that are over capacity.
"""

import abc

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxsweep.engines.component_engine import AbstractComponentEngine, CapacityT
from jaxsweep.engines.components import CellMarginals


class AbstractSolutions(eqx.Module):
    """The solutions of a component; or of a batch of components, first."""

    above: eqx.AbstractVar[Int[Array, "*batch slots"]]
    """Mines, above the minimum of all solutions."""
    live: eqx.AbstractVar[Bool[Array, "*batch slots"]]
    """Which slots hold a solution."""

    @abc.abstractmethod
    def marginals(
        self, weights: Float[Array, " mine_counts"], possible: UInt32[Array, ""]
    ) -> CellMarginals:
        """Computes the marginals of the cells of one component."""

    def layout_weights(
        self, weights: Float[Array, " mine_counts"], possible: UInt32[Array, ""]
    ) -> tuple[Float[Array, " slots"], Bool[Array, " slots"]]:
        """Returns the weight of one layout of each solution, and which solutions are possible."""
        weight = weights[jnp.clip(self.above, 0, weights.shape[0] - 1)]
        allowed = ((possible >> self.above.astype(jnp.uint32)) & jnp.uint32(1)) != 0
        return jnp.where(self.live, weight, 0.0), self.live & allowed


@jax.jit
def marginals_batch(
    solutions: AbstractSolutions,
    weights: Float[Array, "batch mine_counts"],
    possible: UInt32[Array, " batch"],
) -> CellMarginals:
    """Computes the marginals of a batch of components, first."""
    return jax.vmap(lambda one, *given: one.marginals(*given))(solutions, weights, possible)


class AbstractListEngine(AbstractComponentEngine[CapacityT]):
    """An engine whose messages are `AbstractSolutions`: marginals are sums over the list."""

    def marginals(
        self,
        messages: AbstractSolutions,
        weights: Float[np.ndarray, "batch mine_counts"],
        possible: UInt32[np.ndarray, " batch"],
        length: np.int32,
    ) -> CellMarginals:
        """Sums over the solutions."""
        return marginals_batch(messages, weights, possible)


def count_by_mines(
    mines: Int[Array, " slots"],
    layouts: Float[Array, " slots"],
    live: Bool[Array, " slots"],
    mine_counts: int,
) -> tuple[Int[Array, " slots"], Int[Array, ""], Float[Array, " mine_counts"], Bool[Array, ""]]:
    """Sums the layouts of solutions by mine count.

    Returns the mines of each solution above the minimum, that minimum, the layouts by mine count
    from it on, and whether `mine_counts` was enough.
    """
    min_mines = jnp.min(jnp.where(live, mines, jnp.int32(2**30)))
    min_mines = jnp.where(jnp.any(live), min_mines, 0)
    above = jnp.where(live, mines - min_mines, 0)
    by_mines = (above[:, None] == jnp.arange(mine_counts, dtype=jnp.int32)[None, :]) & live[:, None]
    sums = weighted_sum(jnp.where(live, layouts, 0.0), by_mines.astype(jnp.float32))
    return above, min_mines, sums, jnp.max(above) < mine_counts


def weighted_sum(
    weight: Float[Array, " slots"], values: Float[Array, "slots cells"]
) -> Float[Array, " cells"]:
    """Sums over all solutions in two steps: one long sum in float32 would round too much."""
    step = min(128, weight.shape[0])
    parts = jnp.matmul(
        weight.reshape(-1, 1, step),
        values.reshape(-1, step, values.shape[1]),
        precision=jax.lax.Precision.HIGHEST,
    )
    return jnp.sum(parts, axis=(0, 1))
