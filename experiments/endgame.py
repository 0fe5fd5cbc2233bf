"""How many layouts of tiny boards can be won at best, by the end game's search from the first cell.

    python experiments/endgame.py [--quick]

Writes `results/endgame.json`. A search that disagrees with a known value ends the script.
"""

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

import numpy as np
from rich.progress import track

from jaxsweep import machine
from jaxsweep.strategies.endgame import Endgame

RESULTS = Path(__file__).parent / "results"

KNOWN = {
    (3, 3, 1): (8, (5, 5)),
    (3, 3, 2): (24, (9, 10)),
    (3, 3, 3): (33, (8, 10)),
    (4, 4, 2): (102, (66, 66)),
    (4, 4, 3): (400, (211, 220)),
    (4, 4, 4): (961, (417, 495)),
    (4, 4, 5): (1461, (512, 792)),
    (4, 4, 6): (1584, (454, 924)),
    (4, 5, 3): (864, (526, 560)),
    (4, 5, 4): (2950, (1536, 1820)),
    (5, 5, 3): (1798, (1215, 1330)),
    (5, 5, 4): (8236, (4950, 5985)),
    (4, 5, 5): (6998, (3091, 4368)),
    (6, 6, 3): (6427, (4947, 4960)),
}
"""Rows, columns, mines: won with the best first cell; won and all from a corner that shows 0."""


def measure(rows: int, cols: int, mines: int) -> dict:
    """Both values of one board, and what they took."""
    chosen = np.array(list(itertools.combinations(range(rows * cols), mines)))
    flat = np.zeros((len(chosen), rows * cols), bool)
    flat[np.arange(len(chosen))[:, None], chosen] = True
    began = time.perf_counter()
    search = Endgame.of(flat.reshape(-1, rows, cols), np.ones((rows, cols), bool))
    zero = next(tile for tile in search.tiles if tile.cell == (0, 0)).shows[0]
    corner = (search.win(zero), zero.bit_count())
    won = search.win((1 << len(chosen)) - 1)
    if (won, corner) != KNOWN[rows, cols, mines]:
        sys.exit(
            f"{rows}×{cols}/{mines}: {won}, {corner}, but known are {KNOWN[rows, cols, mines]}"
        )
    return {
        "board": f"{rows}×{cols}/{mines}",
        "layouts": len(chosen),
        "won": won,
        "zero_corner": corner,
        "sets_of_layouts": len(search.won),
        "seconds": time.perf_counter() - began,
    }


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small boards, and no result file")
    quick = parser.parse_args().quick
    boards = [board for board in KNOWN if not quick or board[0] * board[1] <= 16]
    entries = [measure(*board) for board in track(boards, "boards")]
    for entry in entries:
        won = f"{entry['won']:6,} of {entry['layouts']:6,}"
        print(f"{entry['board']:8} {won}, {entry['seconds']:.1f} s")
    if not quick:
        result = {
            "command": "python experiments/endgame.py",
            "machine": machine.facts(),
            "boards": entries,
        }
        (RESULTS / "endgame.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
