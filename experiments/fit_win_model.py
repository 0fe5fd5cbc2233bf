"""Fits the win-probability model to guesses: a small network, by stochastic gradient descent.

`win_probability.py` is the command.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Key

from jaxsweep.scalar.win_probability import INPUTS, SMALLEST, inputs_of

SEED = 1
WIDTH = 24
"""Units of each of the two hidden layers."""

BATCH = 8192
STEPS = 20_000
RATE = 5e-3
"""The learning rate at first; it falls to zero along a cosine."""

DECAY = 1e-3
"""Weight decay: the larger, the smoother the model is."""

DIGITS = 5
"""Significant digits of a weight."""

Sample = tuple[
    Float[Array, "batch inputs"],
    Float[Array, " batch"],
    Float[Array, " batch"],
    Float[Array, " batch"],
]
"""Inputs, −log of the scores, targets, and weights."""


class Network(NamedTuple):
    """The weights of `jaxsweep.scalar.win_probability`, to be fitted."""

    layers: list[tuple[Float[Array, "outputs inputs"], Float[Array, " outputs"]]]
    log_exponent: Float[Array, ""]


def _start(key: Key[Array, ""]) -> Network:
    """Random weights: 1 / √inputs, and less in the last layer."""
    sizes = (len(INPUTS), WIDTH, WIDTH, 2)
    layers = [
        (jax.random.normal(own, (after, before)) / np.sqrt(before), jnp.zeros(after))
        for own, before, after in zip(jax.random.split(key, 3), sizes, sizes[1:], strict=False)
    ]
    weights, _ = layers[-1]
    layers[-1] = (0.1 * weights, jnp.array([-2.0, 0.0]))
    return Network(layers, jnp.zeros(()))


def _error(network: Network, sample: Sample) -> Float[Array, ""]:
    """The weighted mean of squared errors: least where predictions are the expected targets."""
    values, risk, target, weight = sample
    for weights, bias in network.layers[:-1]:
        values = jnp.tanh(values @ weights.T + bias)
    weights, bias = network.layers[-1]
    log_later, log_factor = (values @ weights.T + bias).T
    power = jnp.exp(network.log_exponent) * jnp.log(risk)
    chance = jnp.exp(-jnp.exp(log_later) - jnp.exp(log_factor + power))
    return jnp.mean(weight * (chance - target) ** 2)


@partial(jax.jit, static_argnames="steps")
def _descend(network: Network, sample: Sample, key: Key[Array, ""], steps: int) -> Network:
    optimiser = optax.adamw(optax.cosine_decay_schedule(RATE, steps), weight_decay=DECAY)

    def step(carry, key):
        network, state = carry
        chosen = jax.random.randint(key, (BATCH,), 0, len(sample[1]))
        values, risk, target, weight = sample
        drawn = (values[chosen], risk[chosen], target[chosen], weight[chosen])
        gradient = jax.grad(_error)(network, drawn)
        updates, state = optimiser.update(gradient, state, network)
        return (jax.tree.map(jnp.add, network, updates), state), None

    carry = (network, optimiser.init(network))
    (network, _), _ = jax.lax.scan(step, carry, jax.random.split(key, steps))
    return network


def fit(
    features: Float[np.ndarray, "guesses features"],
    score: Float[np.ndarray, " guesses"],
    target: Float[np.ndarray, " guesses"],
    weight: Float[np.ndarray, " guesses"],
    steps: int,
) -> dict[str, Any]:
    """Returns the fitted model in its JSON form."""
    inputs = inputs_of(features)
    center, scale = inputs.mean(0), inputs.std(0)
    risk = -np.log(np.clip(score, SMALLEST, 1 - SMALLEST))
    values = (inputs - center) / scale
    sample = tuple(jnp.asarray(one, jnp.float32) for one in (values, risk, target, weight))
    first, second = jax.random.split(jax.random.key(SEED))
    network = _descend(_start(first), sample, second, steps)
    columns = {"low": inputs.min(0), "high": inputs.max(0), "center": center, "scale": scale}
    return {
        "inputs": {
            name: {key: _round(column[i]) for key, column in columns.items()}
            for i, name in enumerate(INPUTS)
        },
        "layers": [
            {"weights": _round(weights), "bias": _round(bias)} for weights, bias in network.layers
        ],
        "exponent": _round(jnp.exp(network.log_exponent)),
    }


def _round(values: Any) -> Any:
    """Numbers with few digits: what is stored is what is checked."""
    rounded = [float(f"{one:.{DIGITS}g}") for one in np.asarray(values, float).ravel()]
    return np.array(rounded).reshape(np.shape(values)).tolist()
