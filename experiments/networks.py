"""What the learning experiments share: networks of convolutions, and what they see of a position.

Networks take a batch of observations and give one number for each cell. They are fully
convolutional, so that the same weights run on boards of any size.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int8, Key

from jaxsweep.functional import COVERED

NUMBERS = 9
"""The numbers that an open cell may show, from 0 to 8."""

PLANES = NUMBERS + 3
"""Input planes: hidden, each number, the board itself, and the mines per hidden cell."""


def planes(
    observation: Int8[Array, "batch rows cols"], mines: int
) -> Float32[Array, "batch rows cols planes"]:
    """Returns what a network sees: which cell shows what, where the board is, and the density."""
    shown = jax.nn.one_hot(observation - COVERED, NUMBERS + 1, dtype=jnp.float32)
    # Outside of the board all planes are 0, so that this one shows its border.
    board = jnp.ones((*observation.shape, 1), jnp.float32)
    density = mines / hidden_cells(observation)
    return jnp.concatenate([shown, board, density[:, None, None, None] * board], axis=-1)


def hidden_cells(observation: Int8[Array, "batch rows cols"]) -> Float32[Array, " batch"]:
    """Counts the hidden cells, at least one."""
    return jnp.maximum(jnp.sum(observation == COVERED, axis=(1, 2), dtype=jnp.float32), 1.0)


def choices(
    observation: Int8[Array, "batch rows cols"], first: tuple[int, int]
) -> Bool[Array, "batch cells"]:
    """Returns the cells that may be opened: `first` in a new game, then all that are hidden."""
    batch, rows, cols = observation.shape
    hidden = (observation == COVERED).reshape(batch, rows * cols)
    is_first = jnp.arange(rows * cols) == first[0] * cols + first[1]
    return hidden & (is_first[None] | ~jnp.all(hidden, axis=1, keepdims=True))


Board = Float32[Array, "batch rows cols channels"]
Kernel = Float32[Array, "3 3 inputs outputs"]


@jax.custom_vjp
def convolve(x: Board, kernel: Kernel) -> Board:
    """Convolves boards with a 3×3 kernel, with zeros outside of the board.

    XLA on a CPU has a fast convolution for one order of axes, batch, rows, columns, channels, and
    a plain loop for all others. Outside of loops it reorders what is in another order; within
    a `scan` it does not, so that the gradients that JAX derives are far slower there
    (`convolutions.py`). Those of this function are convolutions in that order themselves.
    """
    return _convolution(x, kernel)


def _forward(x: Board, kernel: Kernel) -> tuple[Board, tuple[Board, Kernel]]:
    return convolve(x, kernel), (x, kernel)


def _backward(given: tuple[Board, Kernel], change: Board) -> tuple[Board, Kernel]:
    x, kernel = given
    turned = jnp.swapaxes(jnp.flip(kernel, (0, 1)), 2, 3)
    # What correlates with the output, shifted by up to a cell, over all boards and cells: boards
    # take the place of channels, and inputs that of boards.
    sums = _convolution(jnp.transpose(x, (3, 1, 2, 0)), jnp.transpose(change, (1, 2, 0, 3)))
    return _convolution(change, turned), jnp.transpose(sums, (1, 2, 0, 3))


def _convolution(x: Board, kernel: Float32[Array, "h w inputs outputs"]) -> Board:
    layout, border = ("NHWC", "HWIO", "NHWC"), ((1, 1), (1, 1))
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), border, dimension_numbers=layout)


convolve.defvjp(_forward, _backward)


class Convolution(eqx.Module):
    """A 3×3 convolution with a bias."""

    kernel: Kernel
    bias: Float32[Array, " outputs"]

    def __init__(self, inputs: int, outputs: int, key: Key[Array, ""]):
        # He initialisation.
        scale = jnp.sqrt(2 / (9 * inputs))
        self.kernel = scale * jax.random.normal(key, (3, 3, inputs, outputs), jnp.float32)
        self.bias = jnp.zeros((outputs,), jnp.float32)

    def __call__(self, x: Board) -> Board:
        """Convolves boards."""
        return convolve(x, self.kernel) + self.bias[None, None, None]


class Tower(eqx.Module):
    """Convolutions, of which all but the first add to what they are given."""

    stem: Convolution
    layers: tuple[Convolution, ...]

    def __init__(self, channels: int, layers: int, key: Key[Array, ""]):
        keys = jax.random.split(key, layers + 1)
        self.stem = Convolution(PLANES, channels, keys[0])
        self.layers = tuple(Convolution(channels, channels, each) for each in keys[1:])

    def __call__(
        self, observation: Int8[Array, "batch rows cols"], mines: int
    ) -> Float32[Array, "batch rows cols channels"]:
        """Returns features of each cell."""
        x = jax.nn.relu(self.stem(planes(observation, mines)))
        for layer in self.layers:
            x = x + jax.nn.relu(layer(x))
        return x


class Head(eqx.Module):
    """A number for each cell, from its features: a 1×1 convolution."""

    weights: Float32[Array, " channels"]
    bias: Float32[Array, ""]

    def __init__(self, channels: int):
        # All cells alike, before anything is learnt.
        self.weights = jnp.zeros((channels,), jnp.float32)
        self.bias = jnp.zeros((), jnp.float32)

    def __call__(self, features: Board) -> Float32[Array, "batch cells"]:
        """Returns the numbers of the cells, row by row."""
        return (features @ self.weights + self.bias).reshape(len(features), -1)
