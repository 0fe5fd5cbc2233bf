"""Tables of decisions: which cells are compared, and how they are ranked."""

from dataclasses import replace

import numpy as np
import pytest

from jaxsweep.native.cell_values import make_rooms
from jaxsweep.native.decisions import NO_CELL, list_decisions, make_decisions, rank_cells
from jaxsweep.native.players import settings_of
from jaxsweep.native.playouts import BINS
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.lookahead import EQUAL
from jaxsweep.scalar.players import LookaheadPlayer

OPENING = Opening.of(LEVELS["beginner"], Start.SAFE)
PLAYER = LookaheadPlayer(max_candidates=12, endgame_layouts=0)
COMPARED, DRAWS, SEED = 4, 3, 5


@pytest.fixture(scope="module")
def decisions():
    """Of 30 games."""
    level, settings = OPENING.level, settings_of(PLAYER)
    rooms = make_rooms(level.rows, level.cols, (settings, settings), DRAWS)
    found = make_decisions(50, level.cells, COMPARED, DRAWS)
    first = OPENING.first[0] * level.cols + OPENING.first[1]
    parts = []
    for game in range(30):
        layout = deal(OPENING, SEED, game).astype(np.int8).ravel()
        random = np.array([game], np.uint64)
        start, worth = (level.mines, first, layout), np.full(BINS, 0.8)
        count = list_decisions(*start, settings, settings, settings, worth, random, rooms, found)
        assert count >= 0
        parts.append((layout, [array[:count].copy() for array in found]))
    return rooms.work, parts


def ranked(work, found, player):
    _, seen, cells, _ = found
    values = np.zeros(cells.shape)
    rank_cells(seen, cells, OPENING.level.mines, settings_of(player), work, values)
    return values


def test_compared_cells_are_hidden_and_different(decisions):
    _, parts = decisions
    assert sum(len(found[0]) for _, found in parts) > 20
    for _, (about, seen, cells, values) in parts:
        assert ((seen >= 0).sum(axis=1) == about["open"]).all()
        for own_seen, own_cells in zip(seen, cells, strict=True):
            there = own_cells[own_cells != NO_CELL]
            assert len(there) >= 2
            assert len(set(there.tolist())) == len(there)
            assert (own_seen[there] == -1).all()
        assert np.isfinite(values).all()


def test_a_game_opens_what_its_player_chose_until_it_is_lost(decisions):
    _, parts = decisions
    for layout, (_, seen, cells, _) in parts:
        for i in range(len(cells) - 1):
            assert layout[cells[i, 0]] == 0
            assert seen[i + 1, cells[i, 0]] >= 0


def test_the_player_of_a_table_ranks_its_own_choice_highest(decisions):
    work, parts = decisions
    for _, found in parts:
        values = ranked(work, found, PLAYER)
        assert (values[found[2] == NO_CELL] == -1).all()
        assert (values[:, 0] >= values.max(axis=1, initial=0.0) - EQUAL).all()


def test_another_weight_ranks_otherwise(decisions):
    work, parts = decisions
    other = replace(PLAYER, second_weight=0.0)
    assert all((ranked(work, found, other)[:, 0] >= 0).all() for _, found in parts)
    assert any(
        not np.allclose(ranked(work, found, other), ranked(work, found, PLAYER))
        for _, found in parts
    )
