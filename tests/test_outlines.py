"""Components and tile sets of small boards, worked out by hand."""

import numpy as np

from jaxsweep.rules.position import from_text, to_grid
from jaxsweep.single.outlines import NONE, outline

N = NONE


def outlined(*rows):
    header = f"{len(rows[0])}x{len(rows)}x1"
    return outline(to_grid(from_text("\n".join([header, *rows]))))


def test_cells_with_the_same_numbers_form_a_tile_set():
    """The last row is next to no number."""
    found = outlined("11", "HH", "HH")
    np.testing.assert_array_equal(found.components, [[N, N], [0, 0], [N, N]])
    np.testing.assert_array_equal(found.tile_sets, [[N, N], [0, 0], [N, N]])


def test_tile_sets_that_share_numbers_form_one_component():
    """Each cell of the second row is next to another set of numbers."""
    found = outlined("0110", "HHHH", "HHHH")
    np.testing.assert_array_equal(found.tile_sets, [[N] * 4, [0, 1, 2, 3], [N] * 4])
    np.testing.assert_array_equal(found.components, [[N] * 4, [0, 0, 0, 0], [N] * 4])


def test_two_components_that_share_no_number():
    found = outlined("H1HH1H")
    np.testing.assert_array_equal(found.components, [[0, N, 0, 1, N, 1]])
    np.testing.assert_array_equal(found.tile_sets, [[0, N, 0, 1, N, 1]])


def test_components_join_through_a_number_and_flags_are_hidden_cells():
    """The middle cell is next to both numbers: one component, three tile sets."""
    found = outlined("F1H1H", "HHHHH", "HHHHH")
    np.testing.assert_array_equal(found.components, [[0, N, 0, N, 0], [0] * 5, [N] * 5])
    np.testing.assert_array_equal(found.tile_sets, [[0, N, 1, N, 2], [0, 0, 1, 2, 2], [N] * 5])


def test_a_board_without_numbers_or_without_hidden_cells_has_no_outlines():
    for rows in (("HH", "HH"), ("00", "00")):
        found = outlined(*rows)
        assert (found.components == N).all()
        assert (found.tile_sets == N).all()
