"""Functions of one entry that are written for batches: `jax.vmap` calls them with whole batches."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import PyTree

Function = TypeVar("Function", bound=Callable[..., Any])


def entrywise(batched: Function) -> Function:
    """Makes a function of batches one of single entries; `jax.vmap` of it is the original again.

    Arguments and results of `batched` are pytrees of arrays with the batch first; so its work can
    depend on the whole batch, as where only few entries need it. One entry is a batch of one, and
    nested vmaps are one batch. Leaves that are not batched are repeated. Nothing that is not an
    array may be an argument, except in the static fields of a module.
    """
    # The inner `jit` keeps constants to itself. As inputs of the `custom_vmap` they would be
    # batched where `jax.lax.cond` with a batched predicate repeats all its inputs, which JAX's
    # rule for `custom_vmap` refuses with an assertion. It also compiles calls outside of `jit`.
    merged = custom_vmap(jax.jit(batched))

    @merged.def_vmap
    def merge(size: int, is_batched: list[PyTree], *batches: PyTree) -> tuple[PyTree, PyTree]:
        def flatten(has_axis: bool, leaf: jax.Array) -> jax.Array:
            whole = leaf if has_axis else jnp.broadcast_to(leaf, (size, *leaf.shape))
            return whole.reshape(-1, *whole.shape[2:])

        flat = jax.tree.map(flatten, tuple(is_batched), batches)
        result = jax.tree.map(lambda leaf: leaf.reshape(size, -1, *leaf.shape[1:]), merged(*flat))
        return result, jax.tree.map(lambda _: True, result)

    def single(*entry: PyTree) -> PyTree:
        batch = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], entry)
        return jax.tree.map(lambda leaf: leaf[0], merged(*batch))

    return single  # pyright: ignore[reportReturnType]
