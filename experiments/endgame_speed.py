"""How much faster the compiled end-game search is than the one in Python, on endings of games.

    python experiments/endgame_speed.py [--quick]

Endings of expert games, as the player `endgame` meets them, with nothing certainly safe. Both
searches list the layouts, find the best cell and must agree on it and on its value, and where there
are at most 400 layouts, on the value of every cell. The compiled search is called in a compiled
loop, as the arena does. Times are of the processor, since other jobs may run; ratios are of the
same ending, one search after the other. Writes `results/endgame-speed.json`.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int8
from rich.progress import Progress, track

import reporting
from jaxsweep.native import endgame as native
from jaxsweep.native.compiler import compiled
from jaxsweep.native.layout_listing import CERTAIN_MINE
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.single.watch import watch

SEED = 31
OPENING = Opening.of(LEVELS["expert"], Start.SAFE)
SMALL, LARGE = (3, 400), (1_000, 4_000)
"""Layouts left, at least and at most."""

GROUPS = ((3, 8), (9, 64), (65, 400), SMALL, LARGE)
REPEATS = 5
"""Of each search in Python, of at most 400 layouts; the median counts."""

LOOP_SECONDS = 2e-3
"""Compiled searches are repeated for about so long at a time."""

FIRST_CALL = """
import time
import numpy as np
from jaxsweep.native.endgame import cell_wins, search, search_space
space, grid = search_space(400), np.full(4, -1, np.int8)
began = time.process_time()
search(grid, 2, 1, 400, space)
cell_wins(grid, 2, 1, 400, space, np.zeros(4, np.int64))
print(time.process_time() - began)
"""


class Ending(NamedTuple):
    """A position near the end of a game."""

    grid: Int8[np.ndarray, "rows cols"]
    certain: Bool[np.ndarray, "rows cols"]
    """The cells that are mines in every layout."""
    layouts: int

    @property
    def flat(self) -> Int8[np.ndarray, " cells"]:
        """The grid as the compiled search takes it."""
        return np.where(self.certain, np.int8(CERTAIN_MINE), self.grid).ravel()


class Measured(NamedTuple):
    """Seconds of one search, in Python and compiled."""

    layouts: int
    python: float
    compiled: float
    called: float
    """Compiled, called once from Python."""
    sets: int
    """Sets of layouts in the memo of the compiled search."""


def endings(small: int, large: int) -> list[Ending]:
    """The first endings of a seed's games: so many small ones, and large ones."""
    found: dict[tuple[int, int], list[Ending]] = {SMALL: [], LARGE: []}
    wanted = {SMALL: small, LARGE: large}
    with Progress() as bar:
        task = bar.add_task("games", total=small + large)
        for game in itertools.count():
            for ending in endings_of(game):
                for (least, most), some in found.items():
                    if least <= ending.layouts <= most and len(some) < wanted[least, most]:
                        some.append(ending)
                        bar.advance(task)
            if all(len(some) == wanted[group] for group, some in found.items()):
                return [*found[SMALL], *found[LARGE]]
    raise AssertionError("games do not end")


def endings_of(game: int) -> Iterator[Ending]:
    """The positions of a game in which the player guessed, with their certain mines."""
    before = None
    for step in watch("endgame", OPENING, SEED, game):
        solution = None if step.advice is None else step.advice.solution
        if before is not None and solution is not None and not solution.safe:
            certain = solution.geometry.to_mask(solution.mines)
            yield Ending(before, certain, solution.layouts)
        before = step.grid


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """The processor's seconds of a call, and what it returned."""
    began = time.thread_time()
    result = function(*arguments)
    return time.thread_time() - began, result


def in_python(ending: Ending) -> tuple[tuple[int, int], float]:
    """The best cell and its win probability, by the search in Python."""
    search = search_endgame(ending.grid, OPENING.level.mines, ending.certain, LARGE[1])
    assert search is not None, "it is near the end"
    return search.best_cell()


@compiled
@no_type_check
def search_often(times, grid, cols, mines, max_layouts, space):
    """Searches the same ending so many times."""
    found = native.search(grid, cols, mines, max_layouts, space)
    for _ in range(times - 1):
        found = native.search(grid, cols, mines, max_layouts, space)
    return found


def measure(ending: Ending, space: native.SearchSpace) -> Measured:
    """Searches an ending both ways; ends the script if they do not agree."""
    position = (ending.flat, OPENING.level.cols, OPENING.level.mines, LARGE[1], space)
    once, _ = timed(search_often, 1, *position)
    times = max(1, round(LOOP_SECONDS / once))
    python, looped, called = [], [], []
    for _ in range(REPEATS if ending.layouts <= SMALL[1] else 1):
        seconds, (cell, chance) = timed(in_python, ending)
        python.append(seconds)
        looped.append(timed(search_often, times, *position)[0] / times)
        seconds, (status, flat, won, layouts) = timed(native.search, *position)
        called.append(seconds)
        found = (status, divmod(flat, OPENING.level.cols), won / max(layouts, 1), layouts)
        if found != (native.FOUND, cell, chance, ending.layouts):
            sys.exit(f"{found}, but in Python {cell}, {chance}:\n{ending}")
    sets = int(space.counters[native.SEEN])
    medians = (float(np.median(seconds)) for seconds in (python, looped, called))
    return Measured(ending.layouts, next(medians), next(medians), next(medians), sets)


def check_every_cell(ending: Ending, space: native.SearchSpace) -> None:
    """Ends the script if the values of all cells are not the same."""
    search = search_endgame(ending.grid, OPENING.level.mines, ending.certain, SMALL[1])
    assert search is not None, "it is near the end"
    wins = np.zeros(ending.grid.size, np.int64)
    position = (ending.flat, OPENING.level.cols, OPENING.level.mines, SMALL[1], space)
    _, layouts = native.cell_wins(*position, wins)
    found = {
        divmod(int(i), OPENING.level.cols): wins[i] / layouts for i in np.nonzero(wins >= 0)[0]
    }
    if found != search.win_probabilities():
        sys.exit(f"{found}, but in Python {search.win_probabilities()}:\n{ending}")


def first_calls() -> tuple[float, float]:
    """The processor's seconds of the first calls in a process: compiled, and loaded from disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": folder}
        command = [sys.executable, "-c", FIRST_CALL]
        compiled, loaded = (
            float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
            for _ in range(2)
        )
    return compiled, loaded


def summary(group: tuple[int, int], measured: list[Measured]) -> dict[str, Any]:
    """Quartiles of the times and their ratios, of the endings of a group."""
    some = [one for one in measured if group[0] <= one.layouts <= group[1]]

    def quartiles(values: list[float]) -> list[float]:
        return [float(f"{value:.4g}") for value in np.quantile(values, (0.25, 0.5, 0.75))]

    return {
        "layouts": group,
        "endings": len(some),
        "python_ms": quartiles([1e3 * one.python for one in some]),
        "compiled_ms": quartiles([1e3 * one.compiled for one in some]),
        "compiled_called_from_python_ms": quartiles([1e3 * one.called for one in some]),
        "ratio": quartiles([one.python / one.compiled for one in some]),
        "ratio_called_from_python": quartiles([one.python / one.called for one in some]),
        "ratio_of_sums": sum(one.python for one in some) / sum(one.compiled for one in some),
        "longest_compiled_ms": 1e3 * max(one.compiled for one in some),
        "most_sets": max(one.sets for one in some),
    }


def main() -> None:
    """Measures, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "few endings").parse_args().quick
    compile_seconds, load_seconds = first_calls()
    space, small_space = native.search_space(LARGE[1]), native.search_space(SMALL[1])
    found = endings(*((60, 5) if quick else (1_000, 200)))
    measured = [measure(ending, space) for ending in track(found, "searching")]
    small = [ending for ending in found if ending.layouts <= SMALL[1]]
    for ending in track(small, "every cell"):
        check_every_cell(ending, small_space)
    rows = [summary(group, measured) for group in GROUPS]
    print("| layouts | endings | Python, ms | compiled, ms | ratio |\n|---|---|---|---|---|")
    for row in rows:
        least, most = row["layouts"]
        python, native_ms, ratio = (row[name][1] for name in ("python_ms", "compiled_ms", "ratio"))
        print(f"| {least:,}–{most:,} | {row['endings']} | {python} | {native_ms} | {ratio} |")
    print(f"compiled in {compile_seconds:.1f} s, loaded in {load_seconds:.2f} s")
    if not quick:
        about = reporting.origin(
            about="Expert, first cell safe: processor time of an end-game search with the listing "
            "of layouts, quartiles. All cells and values are equal.",
            seed=SEED,
            numba=version("numba"),
            compile_seconds=compile_seconds,
            load_seconds=load_seconds,
        )
        equal = {"best_cell_and_value_equal": len(found), "every_cell_equal": len(small)}
        reporting.write("endgame-speed", about | equal | {"groups": rows})


if __name__ == "__main__":
    main()
