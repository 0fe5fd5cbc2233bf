"""How many layouts of tiny boards can be won at best, by the end game's search from the first cell.

    python experiments/endgame.py [--quick]

Writes `results/endgame-small-boards.json`. A search that disagrees with a known value ends the
script.
"""

import math
import sys
import time

from rich.console import Console
from rich.progress import track

import reporting
from jaxsweep.rules.level import Level
from jaxsweep.runtime import machine
from jaxsweep.scalar.small_boards import after_first, best_first_cell

KNOWN = {
    Level(3, 3, 1): (8, (5, 5)),
    Level(3, 3, 2): (24, (9, 10)),
    Level(3, 3, 3): (33, (8, 10)),
    Level(4, 4, 2): (102, (66, 66)),
    Level(4, 4, 3): (400, (211, 220)),
    Level(4, 4, 4): (961, (417, 495)),
    Level(4, 4, 5): (1461, (512, 792)),
    Level(4, 4, 6): (1584, (454, 924)),
    Level(4, 5, 3): (864, (526, 560)),
    Level(4, 5, 4): (2950, (1536, 1820)),
    Level(4, 5, 5): (6998, (3091, 4368)),
    Level(5, 5, 3): (1798, (1215, 1330)),
    Level(5, 5, 4): (8236, (4950, 5985)),
    Level(5, 5, 5): (27271, (14556, 20349)),
    Level(6, 6, 3): (6427, (4947, 4960)),
    Level(6, 6, 4): (50088, (35506, 35960)),
}
"""Won with the best first cell; won and all from a corner that shows 0."""

QUICK = 16
"""Cells of the largest board that takes no time."""


def measure(level: Level) -> dict:
    """The values of one board, and the seconds that they took."""
    began = time.perf_counter()
    corner = after_first(level, (0, 0))[0]
    zero_corner = (corner.max_wins(), corner.all_layouts.bit_count())
    shown = time.perf_counter()
    first, won = best_first_cell(level)
    if (won, zero_corner) != KNOWN[level]:
        sys.exit(f"{level}: {won}, {zero_corner}, but known are {KNOWN[level]}")
    return {
        "board": str(level),
        "any": (won, math.comb(level.cells, level.mines)),
        "safe": (won, math.comb(level.cells - 1, level.mines)),
        "best_first_cell": first,
        "seconds": time.perf_counter() - shown,
        "zero_corner": zero_corner,
        "zero_corner_seconds": shown - began,
    }


def main() -> None:
    """Measures, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "small boards").parse_args().quick
    levels = [level for level in KNOWN if not quick or level.cells <= QUICK]
    entries = [measure(level) for level in track(levels, "boards", console=Console(stderr=True))]
    for entry in entries:
        won, layouts = entry["any"]
        print(f"{entry['board']:8} {won:6,} of {layouts:6,}, {entry['seconds']:.1f} s")
    if not quick:
        about = reporting.origin(
            about="Layouts won at best, and all: the best first cell may be a mine (any), "
            "is never one (safe), or is a corner that shows 0 (zero_corner). One core.",
            peak_memory_mib=machine.peak_memory(),
        )
        reporting.write("endgame-small-boards", about | {"boards": entries})


if __name__ == "__main__":
    main()
