"""The boards of a replay, and how much memory and work a file may ask for."""

import itertools
import tracemalloc

import numpy as np
import pytest

from jaxsweep.formats.conversion import as_replay
from jaxsweep.rules.board import Board
from jaxsweep.single.replay import ReplayError, after_move, from_bytes, to_bytes
from tests.format_samples import made_up_game


@pytest.mark.parametrize("seed", range(14))
def test_boards_are_those_of_the_moves_played_one_after_another(seed):
    replay = as_replay(made_up_game(seed))
    played = itertools.accumulate(
        replay.moves,
        lambda board, move: after_move(board, move.flags, move.cells),
        initial=Board.all_hidden(replay.mines),
    )
    boards, played = replay.boards(), list(played)
    assert len(boards) == len(played) == len(replay.moves) + 1
    for board, expected in zip(boards, played, strict=True):
        np.testing.assert_array_equal(board.opened, expected.opened)
        np.testing.assert_array_equal(board.flags, expected.flags)
        np.testing.assert_array_equal(board.grid, expected.grid)
        assert board.status is expected.status
    assert (boards[-1].grid == played[-1].grid).all()
    assert [board.opened.sum() for board in boards[1:]] == [b.opened.sum() for b in played[1:]]
    with pytest.raises(IndexError):
        boards[len(played)]


def many_flags(moves, side):
    """A small file: a board on which one flag is set and removed, again and again."""
    move = '{"cells":[],"flags":[0],"opened":[],"reason":"player","risk":null}'
    rows = ",".join(['"*' + "." * (side - 1) + '"', *['"' + "." * side + '"'] * (side - 1)])
    return (
        f'{{"format":"jaxsweep-replay","version":1,"rows":{side},"cols":{side},"mines":1,'
        f'"start":"any","first":[5,5],"strategy":"x","layout":[{rows}],'
        f'"moves":[{",".join([move] * moves)}],"outcome":"playing"}}'
    ).encode()


def test_many_moves_on_a_large_board_take_little_memory():
    data, cells = many_flags(60, 150), 150**2
    tracemalloc.start()
    replay = from_bytes(data)
    _, for_reading = tracemalloc.get_traced_memory()
    for _ in replay.boards():
        pass
    to_bytes(replay)
    _, for_all = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All boards, kept, would be 60 times two masks of as many bytes as there are cells.
    assert for_reading < 60 * cells
    assert for_all < 60 * cells


def test_a_file_that_takes_too_long_to_play_is_refused():
    data = many_flags(50, 20)
    assert len(from_bytes(data, max_played=50 * 400).moves) == 50
    with pytest.raises(ReplayError, match="50 moves on a board of 20×20 are too many to be played"):
        from_bytes(data, max_played=50 * 400 - 1)
