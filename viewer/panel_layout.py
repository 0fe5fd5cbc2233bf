"""The parts of the panel: each has its place, so that nothing jumps when texts change."""

from collections.abc import Callable
from dataclasses import dataclass

from viewer.layout import Layout, Rect

HEADER, NOTE, SUMMARY, TABLE_HEAD, ROW, CARD = 76, 92, 114, 30, 28, 196
"""Heights at scale 1."""

MARGIN = 16


@dataclass(frozen=True)
class PanelPlaces:
    """The parts of the panel from top to bottom."""

    header: Rect
    note: Rect
    """The latest message, or why the last move was made."""
    summary: Rect
    """What the engine says of the position."""
    table_head: Rect
    rows: tuple[Rect, ...]
    """Of the candidates."""
    card: Rect | None
    """The cell that is looked at; None where there is no room."""
    rest: Rect
    """Where the leaderboard goes while the engine says nothing."""


def panel_places(layout: Layout) -> PanelPlaces:
    """Places the parts of the panel; as many rows as there is room for."""
    panel, px = layout.panel, layout.px
    if panel.left == 0 and panel.width:
        return _side_by_side(panel.inset(px(MARGIN), px(MARGIN)), px)
    left, width = panel.left + px(MARGIN), max(panel.width - 2 * px(MARGIN), 0)
    column = Rect(left, panel.top + px(MARGIN), width, max(panel.height - px(MARGIN), 0))
    header, note, summary, rest = _upper(column, px)
    head = Rect(left, rest.top, width, px(TABLE_HEAD))
    room = max(rest.height - px(TABLE_HEAD), 0)
    has_card = width > 0 and room >= px(CARD + 3 * ROW)
    card = Rect(left, panel.bottom - px(CARD), width, px(CARD)) if has_card else None
    rows = _rows(head, room - (px(CARD) if has_card else 0), px) if width else ()
    under_note = Rect(left, note.bottom, width, max(panel.bottom - note.bottom, 0))
    return PanelPlaces(header, note, summary, head, rows, card, under_note)


def _side_by_side(inside: Rect, px: Callable[[float], int]) -> PanelPlaces:
    """Places the parts in columns, for a panel under the board."""
    count, gap = (3 if inside.width >= px(820) else 2), px(2 * MARGIN)
    width = (inside.width - (count - 1) * gap) // count
    columns = [
        Rect(inside.left + i * (width + gap), inside.top, width, inside.height)
        for i in range(count)
    ]
    header, note, summary, _ = _upper(columns[0], px)
    second = columns[1]
    head = Rect(second.left, second.top, width, px(TABLE_HEAD))
    rows = _rows(head, inside.height - px(TABLE_HEAD), px)
    third = columns[-1]
    card = Rect(third.left, third.top, width, min(third.height, px(CARD))) if count == 3 else None
    return PanelPlaces(header, note, summary, head, rows, card, second)


def _upper(column: Rect, px: Callable[[float], int]) -> tuple[Rect, Rect, Rect, Rect]:
    """Returns the header, the note, the summary, and what is left under them."""
    parts, top = [], column.top
    for height in (HEADER, NOTE, SUMMARY):
        parts.append(Rect(column.left, top, column.width, px(height)))
        top += px(height)
    return *parts, Rect(column.left, top, column.width, max(column.bottom - top, 0))


def _rows(head: Rect, room: int, px: Callable[[float], int]) -> tuple[Rect, ...]:
    """Returns as many rows as fit under the head of the table."""
    count, height = max(room // px(ROW), 0), px(ROW)
    return tuple(
        Rect(head.left, head.bottom + i * height, head.width, height) for i in range(count)
    )
