"""How long gradients of convolutions take on a CPU, within a `scan` and outside of one.

    python experiments/convolutions.py [--quick]

Those of `networks.convolve` against those that JAX derives, alternately, after a warm-up: medians
with quartiles of the processor time of a gradient step, for each board. Writes
`results/convolutions.json`.
"""

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import reporting
from networks import convolve

SEED, ROUNDS = 1, 15
BOARDS, SIDE, CHANNELS, LAYERS, STEPS = 512, 9, 16, 4, 4


def derived(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """The same convolution, with the gradients that JAX derives."""
    layout = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=layout)


def steps(convolution: Callable, in_loop: bool) -> Callable:
    """Some steps of gradient descent, in a `scan` or one after another."""

    def loss(kernels, x):
        for kernel in kernels:
            x = x + jax.nn.relu(convolution(x, kernel))
        return jnp.mean(jnp.square(x))

    def step(kernels, x):
        slopes = jax.grad(loss)(kernels, x)
        return [kernel - 1e-3 * slope for kernel, slope in zip(kernels, slopes, strict=True)]

    @jax.jit
    def descend(kernels, x):
        if in_loop:
            return jax.lax.scan(lambda some, _: (step(some, x), None), kernels, length=STEPS)[0]
        for _ in range(STEPS):
            kernels = step(kernels, x)
        return kernels

    return descend


def main() -> None:
    """Measures, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "two rounds").parse_args().quick
    keys = jax.random.split(jax.random.key(SEED), LAYERS + 1)
    x = jax.random.normal(keys[0], (BOARDS, SIDE, SIDE, CHANNELS), jnp.float32)
    shape = (3, 3, CHANNELS, CHANNELS)
    kernels = [0.1 * jax.random.normal(key, shape, jnp.float32) for key in keys[1:]]
    tasks = {
        f"{name} {where}": steps(convolution, where == "in a scan")
        for name, convolution in (("derived", derived), ("convolve", convolve))
        for where in ("outside", "in a scan")
    }
    ends = [jax.block_until_ready(task(kernels, x)) for task in tasks.values()]
    for end in ends[1:]:
        for one, other in zip(end, ends[0], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(2 if quick else ROUNDS):
        for name, task in tasks.items():
            began = time.process_time()
            jax.block_until_ready(task(kernels, x))
            taken[name].append((time.process_time() - began) / (BOARDS * STEPS) * 1e6)
    rows = {}
    for name, samples in taken.items():
        low, median, high = np.percentile(samples, [25, 50, 75]).tolist()
        rows[name] = {"median": median, "quartiles": [low, high]}
        print(f"{name}: {median:.1f} µs ({low:.1f} to {high:.1f})")
    if not quick:
        about = reporting.origin(seed=SEED, rounds=ROUNDS, boards=BOARDS, channels=CHANNELS)
        measures = "processor microseconds a board and gradient step"
        reporting.write("convolutions", about | {"measures": measures, "results": rows})


if __name__ == "__main__":
    main()
