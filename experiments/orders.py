"""In which order a boundary is best cut into sections: by walking it, or by farthest pairs.

    python experiments/orders.py [--quick]

The solutions of components of stuck expert positions are listed as the engine `bitmask` does it, in
NumPy, once with the cells in walking order and once by recursive bisection: the two cells farthest
apart, and all others to the nearer one. Compared are the longest list of partial assignments and
the number of pairs that are tested. Writes `results/orders.json`.
"""

import numpy as np
from rich.console import Console
from rich.progress import track

import reporting
from jaxsweep.engines.batching import reduce_positions
from jaxsweep.engines.bitmask import SECTION
from jaxsweep.engines.component_index import ComponentLists, find_components
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.stuck_positions import stuck_positions

SEED = 20261116
POSITIONS = 600
SMALLEST, LARGEST = 2 * SECTION + 1, 48
"""Cells of the components that are compared: in smaller ones the order matters little."""
TOO_MANY = 2**22


def bisect(places: np.ndarray, which: np.ndarray) -> list[int]:
    """The order by recursive bisection between the two cells farthest apart."""
    if len(which) <= 2:
        return which.tolist()
    apart = np.hypot(*(places[which][:, None] - places[which][None]).transpose(2, 0, 1))
    a, b = np.unravel_index(apart.argmax(), apart.shape)
    near_a = apart[a] <= apart[b]
    return bisect(places, which[near_a]) + bisect(places, which[~near_a])


def effort(component: ComponentLists, order: np.ndarray) -> tuple[int, int]:
    """The longest list on the way, and the pairs that are tested."""
    near = component.adjacency()[:, order]
    cells = len(order)
    sections, longest, pairs = [], 0, 0
    for first in range(0, cells, SECTION):
        inside = near[:, first : first + SECTION]
        size = inside.shape[1]
        bits = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
        left = component.residual - bits @ inside.T.astype(np.int64)
        room = (near.sum(1) - inside.sum(1))[None]
        sections.append((left[((left >= 0) & (left <= room)).all(1)], inside.sum(1)))
    while len(sections) > 1:
        merged = []
        for (a, in_a), (b, in_b) in zip(sections[::2], sections[1::2], strict=False):
            pairs += len(a) * len(b)
            if len(a) * len(b) > TOO_MANY:
                return TOO_MANY, pairs
            left = (a[:, None] + b[None] - component.residual).reshape(-1, a.shape[1])
            inside = in_a + in_b
            room = (near.sum(1) - inside)[None]
            merged.append((left[((left >= 0) & (left <= room)).all(1)], inside))
        sections = merged + ([sections[-1]] if len(sections) % 2 else [])
        longest = max(longest, *(len(one) for one, _ in sections))
    return longest, pairs


def main() -> None:
    """Measures, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "few positions").parse_args().quick
    use_cache()
    count = POSITIONS // 10 if quick else POSITIONS
    positions = stuck_positions(Opening.of(LEVELS["expert"], Start.ZERO), SEED, count)
    components, _ = find_components(reduce_positions(positions))
    which = np.nonzero((components.cells >= SMALLEST) & (components.cells <= LARGEST))[0]
    found = {"walking": [], "bisection": []}
    for component in track(components.lists(which), console=Console(stderr=True)):
        places = np.stack([component.cell_row, component.cell_col], axis=1)
        cells = np.arange(len(places))
        found["walking"].append(effort(component, cells))
        found["bisection"].append(effort(component, np.array(bisect(places, cells))))
    summary = {
        name: {
            "longest_list_50_90_99_100": np.percentile(efforts, [50, 90, 99, 100], axis=0)
            .astype(int)[:, 0]
            .tolist(),
            "pairs_tested_50_90_99_100": np.percentile(efforts, [50, 90, 99, 100], axis=0)
            .astype(int)[:, 1]
            .tolist(),
            "pairs_tested_in_all": int(np.sum(efforts, axis=0)[1]),
        }
        for name, efforts in found.items()
    }
    Console().print_json(data=summary)
    if not quick:
        about = reporting.origin(seed=SEED, components=len(which), cells=[SMALLEST, LARGEST])
        reporting.write("orders", about | {"orders": summary})


if __name__ == "__main__":
    main()
