"""The three forms of log-binomials against whole numbers."""

import math

import jax.numpy as jnp
import numpy as np

from jaxsweep.engines import binomials


def test_log_binomials_equal_those_of_whole_numbers():
    pairs = [(n, k) for n in (0, 1, 5, 40, 300) for k in range(0, n + 1, max(1, n // 7))]
    n, k = (np.array(column, np.int32) for column in zip(*pairs, strict=True))
    expected = [math.log(math.comb(*pair)) for pair in pairs]
    np.testing.assert_allclose(binomials.log_binomial_host(n, k), expected, atol=1e-9)
    on_device = binomials.log_binomial(jnp.asarray(n), jnp.asarray(k))
    np.testing.assert_allclose(on_device, expected, atol=2e-3)


def test_decrements_sum_to_a_ratio_of_binomials():
    n, k = jnp.int32(300), jnp.arange(200, 100, -1, dtype=jnp.int32)
    steps = binomials.log_binomial_decrement(n, k, jnp.ones(k.shape, bool))
    expected = math.log(math.comb(300, 100)) - math.log(math.comb(300, 200))
    np.testing.assert_allclose(float(steps.sum()), expected, atol=1e-4)
    assert not binomials.log_binomial_decrement(n, k, jnp.zeros(k.shape, bool)).any()


def test_mine_odds_are_finite_at_the_limits():
    odds = binomials.mine_odds(jnp.array([0, 5, 10, 12]), jnp.array([10, 10, 10, 10]))
    assert np.isfinite(odds).all()
    assert (np.asarray(odds) > 0).all()
    np.testing.assert_allclose(odds[1], 1.0, atol=1e-6)
