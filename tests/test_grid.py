import numpy as np
import pytest

from jaxsweep.rules.grid import dilate, neighbour_counts


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (5, 6)])
def test_neighbourhoods_equal_a_count_cell_by_cell(shape):
    grid = np.random.default_rng(1).random((4, *shape)) < 0.4
    for one, counts, near in zip(grid, neighbour_counts(grid), dilate(grid), strict=True):
        for (r, c), count in np.ndenumerate(counts):
            window = one[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2]
            assert count == window.sum() - one[r, c]
            assert near[r, c] == window.any()
        np.testing.assert_array_equal(neighbour_counts(one), counts)
