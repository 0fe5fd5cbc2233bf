"""What some numbers prove, by all layouts of the cells around them.

This belongs to the checker of certificates, and shares no code with what makes them.
"""

from jaxsweep.rules.board import Cell

Need = tuple[frozenset[Cell], int]
"""Hidden cells around a number, and how many of them are mines."""

Total = tuple[set[Cell], int]
"""All hidden cells, and how many of them are mines."""

MAX_STATES = 200_000
"""The most states that are followed for one step. Those of real boards take hundreds."""


class TooManyLayoutsError(Exception):
    """A step would take more states than allowed."""


class AllLayouts:
    """Goes through the layouts that a step is about, and remembers what it found."""

    def __init__(self):
        self._left = MAX_STATES
        self._totals: dict[tuple[Need, ...], set[int]] = {}

    def prove(self, needs: list[Need], total: Total | None, cell: Cell, is_mine: bool) -> bool:
        """Whether no layout that agrees with the numbers, and the total, has a cell otherwise.

        Raises `TooManyLayoutsError`.
        """
        possible, used = {0}, set[Cell]()
        for group in _groups([*needs, (frozenset({cell}), int(not is_mine))]):
            used = used.union(*(cells for cells, _ in group))
            if group not in self._totals:
                self._totals[group] = self._possible_totals(group)
            possible = {a + b for a in possible for b in self._totals[group]}
        if total is not None:
            hidden, left = total
            possible = {k for k in possible if 0 <= left - k <= len(hidden - used)}
        return not possible

    def _possible_totals(self, group: tuple[Need, ...]) -> set[int]:
        """How many mines the cells of a group can have in all, over its layouts.

        Cells are laid one after the other, from left to right. Of layouts whose numbers need the
        same from there on and that have the same number of mines, one is followed.
        """
        cells = sorted({cell for around, _ in group for cell in around}, key=lambda c: (c[1], c[0]))
        rooms = [len(around) for around, _ in group]
        under_way = {(tuple(left for _, left in group), 0)}
        for cell in cells:
            own = [place for place, (around, _) in enumerate(group) if cell in around]
            for place in own:
                rooms[place] -= 1
            after = set[tuple[tuple[int, ...], int]]()
            for left, mines in under_way:
                for mine in (0, 1):
                    if all(0 <= left[place] - mine <= rooms[place] for place in own):
                        new = list(left)
                        for place in own:
                            new[place] -= mine
                        after.add((tuple(new), mines + mine))
            under_way = after
            self._left -= len(under_way)
            if self._left < 0:
                raise TooManyLayoutsError
        return {mines for left, mines in under_way if not any(left)}


def _groups(needs: list[Need]) -> list[tuple[Need, ...]]:
    """Groups of numbers that share cells, directly or through others."""
    groups: list[tuple[Need, ...]] = []
    for need in needs:
        touching = [group for group in groups if any(need[0] & other[0] for other in group)]
        merged = (need, *(other for group in touching for other in group))
        groups = [group for group in groups if group not in touching] + [merged]
    return groups
