"""A hint for the compiler: where to stop fusing."""

from typing import TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import PyTree

Values = TypeVar("Values", bound=PyTree)


def materialize(values: Values) -> Values:
    """The same arrays, worked out once and written to memory.

    XLA on a CPU fuses what is cheap into each of its uses, and works it out anew there: a board of
    bits that is unpacked into cells, 32 times. An optimization barrier does not outlive the passes
    before fusion; a branch does. Both branches give the values as they are.
    """
    return _materialize(values)


@custom_vmap
def _materialize(values: PyTree) -> PyTree:
    first = jax.tree.leaves(values)[0]
    unknown = first.reshape(-1)[0] == jnp.zeros((), first.dtype)
    return jax.lax.cond(unknown, lambda x: x, jax.lax.optimization_barrier, values)


@_materialize.def_vmap
def _materialize_batch(_: int, batched: list[PyTree], values: PyTree) -> tuple[PyTree, PyTree]:
    """One branch for the whole batch: it asks after its first entry, whichever that is."""
    return _materialize(values), batched[0]
