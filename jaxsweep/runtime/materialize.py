"""A hint for the compiler: where to stop fusing."""

from typing import TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import PyTree

Values = TypeVar("Values", bound=PyTree)


def kept(values: Values) -> Values:
    """The same arrays, worked out once and written to memory.

    XLA on a CPU fuses what is cheap into each of its uses, and works it out anew there: a board of
    bits that is unpacked into cells, 32 times. An optimization barrier does not outlive the passes
    before fusion; a branch does. Both branches give the values as they are.
    """
    return _kept(values)


@custom_vmap
def _kept(values: PyTree) -> PyTree:
    first = jax.tree.leaves(values)[0]
    unknown = first.reshape(-1)[0] == jnp.zeros((), first.dtype)
    return jax.lax.cond(unknown, lambda x: x, jax.lax.optimization_barrier, values)


@_kept.def_vmap
def _kept_batch(_: int, batched: list[PyTree], values: PyTree) -> tuple[PyTree, PyTree]:
    """One branch for the whole batch: it asks after its first entry, whichever that is."""
    return _kept(values), batched[0]
