"""Binomial coefficients and mine odds in log space, as the engines need them.

There are three forms, since none replaces another: `log_binomial` runs in float32 on the device,
`log_binomial_host` in float64 on the host, and `log_binomial_decrement` gives the step between two
neighbours. Sums of such steps stay small, and so does their rounding error; differences of
log-factorials in float32 do not.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int


def log_binomial(n: Int[Array, " batch"], k: Int[Array, " batch"]) -> Float[Array, " batch"]:
    """Computes log(n choose k) in float32; meaningless unless 0 ≤ k ≤ n."""

    def log_factorial(count: Int[Array, " batch"]) -> Float[Array, " batch"]:
        return jax.lax.lgamma(jnp.maximum(count, 0).astype(jnp.float32) + 1.0)

    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def log_binomial_host(
    n: Int[np.ndarray, " batch"], k: Int[np.ndarray, " batch"]
) -> Float[np.ndarray, " batch"]:
    """Computes log(n choose k) in float64 on the host; k is clipped to the range 0 to n."""
    log_factorial = np.vectorize(math.lgamma, otypes=[np.float64])
    k = np.clip(k, 0, n)
    return log_factorial(n + 1.0) - log_factorial(k + 1.0) - log_factorial(n - k + 1.0)


def log_binomial_decrement(
    n: Int[Array, "*#shape"], k: Int[Array, "*#shape"], valid: Bool[Array, "*#shape"]
) -> Float[Array, "*#shape"]:
    """Computes log(n choose k−1) − log(n choose k) where `valid`, and 0 elsewhere."""
    ratio = k.astype(jnp.float32) / (n - k + 1).astype(jnp.float32)
    return jnp.log(jnp.where(valid, ratio, 1.0))


def mine_odds(mines: Int[Array, " batch"], cells: Int[Array, " batch"]) -> Float[Array, " batch"]:
    """Computes the odds of a mine in a cell at the mean density, kept away from 0 and infinity."""
    density = mines.astype(jnp.float32) + 0.5
    return density / jnp.maximum(cells.astype(jnp.float32) + 1.0 - density, 0.5)
