"""The chain sampler: many independent chains of particle Gibbs (`particle_gibbs`) per position.

The weighted particles of every sweep count, and the variance between the chains' means gives the
standard error.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int, UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import (
    BATCHES,
    BYTES,
    is_possible,
    padded_batches,
    parallel_map,
    reduce_positions,
    sizes_of,
)
from jaxsweep.engines.component_index import ComponentIndex, find_components
from jaxsweep.engines.particle_gibbs import (
    PARTICLES,
    SWEEPS,
    Problem,
    initial_layouts,
    run_sweeps,
)
from jaxsweep.rules import bitboard
from jaxsweep.rules.frontier import ReducedPosition
from jaxsweep.rules.position import Position

MIN_STARTS = 8
"""Chains that must have found a first layout of their own: fewer give no standard error."""

MAX_POSITIONS = 512
"""Positions whose chains are in memory at a time."""

WORK = 2**19
"""State words that a particle passes at most, over all sweeps: bounds the time of a position."""

CAPACITIES = ((32, 2), (64, 3), (128, 4), (512, 8), (512, 64), (2048, 16), (2048, 256))
"""Boundary cells, and as many numbers, and words of a packed state that a kernel has room for.

Positions beyond the last one have status `OVER_CAPACITY`.
"""


class Chains(AbstractEngine):
    """Estimates with standard errors, up to 2048 boundary cells; it proves no cell by itself."""

    chains: int = eqx.field(static=True, default=64)
    tolerance: float = 0.005
    """Sampling of a position ends when no cell's standard error is above this,"""
    sweeps: int = 2048
    """or after so many sweeps, fewer for large positions: then its errors are larger."""

    def __check_init__(self):
        """A standard error needs several chains, and a mean at least one call."""
        if self.chains < MIN_STARTS or self.sweeps < SWEEPS:
            raise ValueError(f"at least {MIN_STARTS} chains and {SWEEPS} sweeps are needed")

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Estimates the beliefs about a batch."""
        reduced = reduce_positions(positions)
        components, fits = find_components(reduced)
        boundaries, estimates = components.by_position(), _Estimates(reduced, fits)
        waiting = np.arange(len(boundaries))
        for capacity in CAPACITIES:
            small = np.maximum(boundaries.cells, boundaries.numbers)[waiting] <= capacity[0]
            chosen = waiting[small]
            # Loops in a batch run as long as the longest one: positions of like size go together.
            chosen = chosen[np.argsort(boundaries.cells[chosen], kind="stable")]
            over = [
                self._run(boundaries, chosen[i : i + MAX_POSITIONS], seeds, capacity, estimates)
                for i in range(0, len(chosen), MAX_POSITIONS)
            ]
            waiting = np.concatenate([waiting[~small], *over])
        estimates.give_up(boundaries.position[waiting])
        return estimates.beliefs()

    def _run(
        self,
        boundaries: ComponentIndex,
        which: Int[np.ndarray, " some"],
        seeds: UInt32[np.ndarray, " batch"],
        capacity: tuple[int, int],
        estimates: "_Estimates",
    ) -> Int[np.ndarray, " over"]:
        """Samples these positions, and returns those whose packed states need more words."""
        cells, words = capacity
        # Not the largest batches: the chains of few positions keep a core busy, and positions that
        # are done early wait for the others.
        per_position = self.chains * PARTICLES * (words + cells // bitboard.WORD + 4)
        batch_limit = min(BYTES // (64 * (per_position + cells * cells)), BATCHES[1])
        size, budget = len(which), min(self.sweeps, max(4 * SWEEPS, WORK // (cells * words)))
        layouts = np.zeros((size, self.chains, cells // bitboard.WORD), np.uint32)
        sums = np.zeros((size, self.chains, cells + 1))
        starts, collides = np.zeros(size, np.int32), np.zeros(size, bool)

        def work(job: tuple[Problem, np.ndarray, int]):
            problem, part, call = job
            if call == 0:
                return jax.device_get(initial_layouts(problem, self.chains, words))
            return jax.device_get(run_sweeps(problem, layouts[part], np.int32(call), words))

        active, call = np.arange(size), 0
        while len(active):
            parts = list(padded_batches(active, batch_limit))
            jobs = [
                (_problem(boundaries, which[part], seeds, estimates, cells), part, call)
                for part, _ in parts
            ]
            results, going = parallel_map(work, jobs), []
            for (part, real), result in zip(parts, results, strict=True):
                own = part[:real]
                layouts[own] = result[0][:real]
                if call == 0:
                    starts[own], collides[own] = result[1][:real], result[2][:real]
                    going.append(own[(starts[own] > 0) & ~collides[own]])
                    continue
                # The first call is burn-in.
                sums[own] += result[1][:real] if call > 1 else 0.0
                sweeps = (call - 1) * SWEEPS
                mean, error = _moments(sums[own], sweeps)
                error[starts[own] < MIN_STARTS] = np.inf
                done = (sweeps > 0) & (error.max(1) <= self.tolerance) | (sweeps >= budget)
                estimates.write(boundaries, which[own[done]], mean[done], error[done])
                going.append(own[~done])
            active, call = np.concatenate(going), call + 1
        estimates.give_up(boundaries.position[which[(starts == 0) & ~collides]])
        return which[collides]


def _problem(
    boundaries: ComponentIndex,
    which: Int[np.ndarray, " some"],
    seeds: UInt32[np.ndarray, " batch"],
    estimates: "_Estimates",
    cells: int,
) -> Problem:
    """Gathers the arguments of a kernel for these positions."""
    position = boundaries.position[which]
    return Problem(
        component=boundaries.pad(which, cells, cells),
        length=jnp.asarray(boundaries.cells[which].max(), jnp.int32),
        mines=jnp.asarray(estimates.mines[position]),
        unconstrained=jnp.asarray(estimates.unconstrained[position]),
        boundary=jnp.asarray(estimates.boundary[position]),
        seed=jnp.asarray(seeds[position]),
    )


def _moments(
    sums: Float[np.ndarray, "batch chains cells"], sweeps: int
) -> tuple[Float[np.ndarray, "batch cells"], Float[np.ndarray, "batch cells"]]:
    """Computes means, and their standard errors from the variance between chains.

    An event that n draws never showed can have a probability of about 1/n: the error includes it.
    """
    means = sums / max(sweeps, 1)
    chains = sums.shape[1]
    error = np.sqrt(means.var(1, ddof=1) / chains + (1.0 / (max(sweeps, 1) * chains)) ** 2)
    return means.mean(1), error


class _Estimates:
    """The grids of the beliefs, filled in as positions are done."""

    def __init__(self, reduced: ReducedPosition, fits: Bool[np.ndarray, " positions"]):
        self.mines = np.asarray(reduced.mines_left, np.int32)
        self.unconstrained = sizes_of(reduced.unconstrained)
        self.boundary = sizes_of(reduced.boundary)
        self.is_unconstrained = bitboard.unpack_batch(reduced.unconstrained)
        self.safe = bitboard.unpack_batch(reduced.certain.safe)
        self.certain_mines = bitboard.unpack_batch(reduced.certain.mines)
        possible = is_possible(reduced)
        possible &= (self.boundary > 0) | (self.mines <= self.unconstrained)
        self.status = np.where(fits, Status.ESTIMATE, Status.OVER_CAPACITY)
        self.status = np.where(possible, self.status, Status.INCONSISTENT)
        density = np.where(self.boundary == 0, self.mines / np.maximum(self.unconstrained, 1), 0.0)
        self.probability = np.where(
            self.is_unconstrained, density[:, None, None], self.certain_mines
        )
        self.error = np.zeros_like(self.probability)

    def give_up(self, positions: Int[np.ndarray, " some"]) -> None:
        """Marks positions for which no layout was found."""
        self.status[positions] = Status.OVER_CAPACITY

    def write(
        self,
        boundaries: ComponentIndex,
        which: Int[np.ndarray, " some"],
        mean: Float[np.ndarray, "some means"],
        error: Float[np.ndarray, "some means"],
    ) -> None:
        """Writes means and errors: of the boundary cells, and of unconstrained cells, last."""
        at, is_cell = boundaries.grid_index(which, mean.shape[1] - 1)
        own = boundaries.position[which]
        for grid, values in ((self.probability, mean), (self.error, error)):
            grid[at] = values[:, :-1][is_cell]
            grid[own] = np.where(
                self.is_unconstrained[own], values[:, -1][:, None, None], grid[own]
            )

    def beliefs(self) -> Beliefs:
        """Builds the beliefs."""
        return Beliefs.build(
            status=self.status,
            mine_probability=self.probability,
            safe=self.safe,
            mines=self.certain_mines,
            error=self.error,
        )
