"""The benchmarks of `python -m jaxsweep.bench`; their kernels are imported when they run."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from jaxsweep.rules.level import LEVELS, Level, Opening, Start

OPENINGS = {
    "beginner": Opening.of(LEVELS["beginner"]),
    "intermediate": Opening.of(LEVELS["intermediate"]),
    "expert": Opening.of(LEVELS["expert"]),
    "expert-zero": Opening.of(LEVELS["expert"], Start.ZERO),
    "dense": Opening.of(Level(16, 30, 130)),
    "large": Opening.of(Level(100, 100, 2200), Start.ZERO),
}
"""The openings of the boards: safe starts in the corner, zero starts at (3, 3)."""

STANDARD = ("beginner", "intermediate", "expert")

LARGE_BATCH = 64
"""The most boards of the large level in a batch: one has the cells of twenty expert boards."""

KERNELS = "jaxsweep.benchmarks.kernels"

FRAME = 8_000.0
"""About half of the time between two frames, in microseconds."""

Call = Callable[[], object]
"""What is timed: one call computes a whole batch."""


@dataclass(frozen=True)
class Benchmark:
    """A kernel, and the boards and batch sizes it is timed on."""

    summary: str
    """What it does, on one line."""
    function: str
    """A function that takes an opening and a batch size, and returns the `Call`."""
    levels: tuple[str, ...] = STANDARD
    batches: tuple[int, ...] = (4096,)
    unit: str | None = None
    """A unit of work, for benchmarks that report a rate."""
    work: str | None = None
    """A function that returns how many units a board of an opening takes; by default one."""
    module: str = KERNELS
    """The module of both functions."""
    limit: float | None = None
    """The most microseconds of processor time that a board may take."""

    def make(self, opening: Opening, batch: int) -> Call:
        """Prepares the boards, and returns what is timed."""
        return getattr(import_module(self.module), self.function)(opening, batch)

    def units(self, opening: Opening) -> int:
        """Returns how many units of work a board takes."""
        return getattr(import_module(self.module), self.work)(opening) if self.work else 1


BENCHMARKS = {
    "deal": Benchmark("lay the mines of new games", "deal"),
    "open": Benchmark("open the first cell of dealt games, with flood fill", "open_first"),
    "single-cell-round": Benchmark(
        "one round of both single-cell rules on stuck positions", "single_round"
    ),
    "random-games": Benchmark("whole games of the player `random`", "random_games"),
    "deduction": Benchmark("all rules to a fixpoint on stuck positions", "whole_deduction"),
    "frontier": Benchmark(
        "single-cell rules and constraint arrays of stuck positions", "frontiers"
    ),
    "inference": Benchmark(
        "exact beliefs of stuck positions, from position to probabilities",
        "inference",
        tuple(OPENINGS),
        (1, 64, 1024, 8192),
    ),
    "placements": Benchmark(
        "random layouts of a half-open board, placed cell by cell, by the rejection engine",
        "placements",
        ("beginner",),
        (2**20,),
        unit="checks",
        work="checks_a_layout",
    ),
    "environment-steps": Benchmark(
        "one step of the environment at random cells, with automatic reset",
        "environment_steps",
        unit="steps",
    ),
    "arena": Benchmark(
        "whole games of the player `exact`; games in progress carry over from call to call",
        "arena_games",
        (*STANDARD, "expert-zero"),
        (32768,),
        unit="games",
    ),
    "frame": Benchmark(
        "draw the window once", "frame", ("expert",), (1,), module="viewer.benchmarks", limit=FRAME
    ),
    "menu": Benchmark(
        "draw the window with its menu",
        "menu",
        ("expert",),
        (1,),
        module="viewer.benchmarks",
        limit=FRAME,
    ),
    "hint": Benchmark("compute a hint", "hint", ("expert",), (1,), module="viewer.benchmarks"),
}
