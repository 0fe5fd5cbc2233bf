"""The rejection sampler: random layouts, of which those count that agree with every open number.

The kernel is in `random_layouts`. The probability of a cell is its share of the valid layouts
among all, scaled so that the probabilities sum to the mines. The more of a board is open, the fewer
samples are accepted; where there are too few, the budget ends with status `OVER_CAPACITY`.
"""

import itertools

import jax
import numpy as np
from jaxtyping import Bool, Float, Int, UInt32

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.engines.batching import padded_batches, parallel_map, reduce_positions, sizes_of
from jaxsweep.engines.random_layouts import SAMPLES, SampleSums, count_numbers, sample_batch
from jaxsweep.rules import bitboard
from jaxsweep.rules.position import Position

CALLS = 2
"""Calls per position between two tests of convergence: so many can run in parallel."""

MAX_SAMPLES = 2**17
"""Samples of all positions of one call."""

MIN_EFFECTIVE = 100
"""Effective valid samples below which there is no estimate: a sample that is valid for many cells
weighs many times one that is valid for a single cell, and such samples are rare."""

CAPACITIES = (64, 128, 512, 2048)
"""Hidden cells, and as many numbers next to them, that a kernel has room for."""


class Rejection(AbstractEngine):
    """Estimates with standard errors, while enough random layouts agree with the position."""

    tolerance: float = 0.01
    """Sampling of a position ends when no probability moved by more than this in a round,"""
    samples: int = 2**20
    """or after so many samples: then its errors are larger."""

    def __check_init__(self):
        """An estimate needs a sample."""
        if self.samples < 1:
            raise ValueError("at least one sample is needed")

    def infer(self, positions: Position, seeds: UInt32[np.ndarray, " batch"]) -> Beliefs:
        """Estimates the beliefs about a batch."""
        host = jax.device_get(positions)
        hidden = bitboard.unpack_batch(host.hidden)
        reduced = reduce_positions(host)
        consistent = np.asarray(reduced.consistent) & (host.mines <= sizes_of(host.hidden))
        # The kernel places at least one mine: positions without mines are decided here.
        shows_number = np.any([plane.any((0, 1)) for plane in host.numbers], axis=0)
        consistent &= (host.mines > 0) | ~shows_number
        cells, numbers = sizes_of(host.hidden), count_numbers(host)
        # Without a number next to hidden cells, all cells are alike.
        alike = (host.mines == 0) | (numbers == 0)
        density = np.where(alike, host.mines / np.maximum(cells, 1), 0.0)
        status = np.where(alike, Status.ESTIMATE, Status.OVER_CAPACITY)
        status = np.where(consistent, status, Status.INCONSISTENT)
        probability = np.where(hidden, density[:, None, None], 0.0).astype(np.float32)
        error = np.zeros(hidden.shape, np.float32)
        size, below = np.maximum(cells, numbers), 0
        for capacity in CAPACITIES:
            wanted = consistent & ~alike & (size > below) & (size <= capacity)
            chosen = np.nonzero(wanted)[0]
            self._run(host, seeds, (cells, numbers), chosen, capacity, (probability, error, status))
            below = capacity
        return Beliefs.build(
            status=status,
            mine_probability=probability,
            safe=bitboard.unpack_batch(reduced.certain.safe),
            mines=bitboard.unpack_batch(reduced.certain.mines),
            error=error,
        )

    def _run(
        self,
        host: Position,
        seeds: UInt32[np.ndarray, " batch"],
        sizes: tuple[Int[np.ndarray, " batch"], Int[np.ndarray, " batch"]],
        chosen: Int[np.ndarray, " some"],
        capacity: int,
        grids: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        """Samples positions of one capacity until each is done.

        Writes into `grids`: probabilities, errors and the status.
        """
        probability, error, status = grids
        index = np.zeros(len(host.mines), np.int64)
        index[chosen] = np.arange(len(chosen))
        sums, before = SampleSums.zeros(len(chosen), capacity), np.zeros((len(chosen), capacity))

        def work(job: tuple[np.ndarray, int]) -> SampleSums:
            which, call = job
            part = jax.tree.map(lambda leaf: leaf[..., which], host)
            most = (np.int32(sizes[0][which].max()), np.int32(sizes[1][which].max()))
            return jax.device_get(sample_batch(part, seeds[which], np.int32(call), most, capacity))

        active, rounds = chosen, 0
        while len(active):
            parts = list(padded_batches(active, MAX_SAMPLES // SAMPLES))
            jobs = [(which, rounds * CALLS + i) for which, _ in parts for i in range(CALLS)]
            results, going = iter(parallel_map(work, jobs)), []
            for which, real in parts:
                own = which[:real]
                for new in itertools.islice(results, CALLS):
                    sums.add(index[own], jax.tree.map(lambda leaf, r=real: leaf[:r], new))
                mean, deviation = sums.moments(index[own], np.asarray(host.mines)[own])
                moved = np.abs(mean - before[index[own]]).max(1)
                before[index[own]] = mean
                drawn = (rounds + 1) * CALLS * SAMPLES
                enough, done = self._progress(sums.effective(index[own]), moved, drawn)
                final = np.nonzero(done & enough)[0]
                # Lists and grids have the hidden cells in the same order.
                position, row, col = np.nonzero(bitboard.unpack_batch(host.hidden[..., own[final]]))
                is_cell = np.arange(capacity) < sizes[0][own[final], None]
                at = (own[final][position], row, col)
                probability[at], error[at] = mean[final][is_cell], deviation[final][is_cell]
                status[own[final]] = Status.ESTIMATE
                going.append(own[~done])
            active, rounds = np.concatenate(going), rounds + 1

    def _progress(
        self, effective: Float[np.ndarray, " some"], moved: Float[np.ndarray, " some"], drawn: int
    ) -> tuple[Bool[np.ndarray, " some"], Bool[np.ndarray, " some"]]:
        """Tells which positions have enough samples for an estimate, and which are done."""
        enough = effective >= MIN_EFFECTIVE
        # Up to three more samples could have been accepted by chance: if even at that rate the
        # budget gives too few, stop.
        hopeless = (effective + 3) * self.samples / drawn < MIN_EFFECTIVE
        done = enough & (moved <= self.tolerance) | hopeless | (drawn >= self.samples)
        return enough, done
