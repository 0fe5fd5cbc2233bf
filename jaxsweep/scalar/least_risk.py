"""The cell of least risk in one position, and the order of its ties."""

from jaxsweep.rules.threefry import KeyWords, uniform_integer, word
from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.geometry import CellIndex, indices
from jaxsweep.scalar.view import View

TIE = 1e-6
"""Risks that differ by less are equal: float32 rounds them."""


def safest_cells(solution: Solution) -> list[CellIndex]:
    """Lists the cells of least risk, in reading order, where no cell is certainly safe."""
    least = min(found for _, found in solution.undecided) / solution.layouts
    ties = 0
    for cells, found in solution.undecided:
        if found / solution.layouts <= least + TIE:
            ties |= cells
    return indices(ties)


def fewest_hidden_neighbours(view: View, cells: list[CellIndex]) -> list[CellIndex]:
    """Keeps the cells with the fewest hidden neighbours: a number there says more about each."""
    counts = [hidden_neighbours(view, cell) for cell in cells]
    fewest = min(counts)
    return [cell for cell, count in zip(cells, counts, strict=True) if count == fewest]


def hidden_neighbours(view: View, cell: CellIndex) -> int:
    """Counts the hidden neighbours of a cell."""
    return (view.geometry.near[cell] & view.hidden).bit_count()


def random_cell(cells: list[CellIndex], key: KeyWords) -> CellIndex:
    """Picks one of the cells uniformly, by the first random word of a key."""
    return cells[uniform_integer(word(key), len(cells))]
