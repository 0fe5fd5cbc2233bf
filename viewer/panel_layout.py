"""The parts of the panel: each has its place, so that nothing jumps when texts change."""

from dataclasses import dataclass

from viewer.layout import Layout, Rect

HEADER, NOTE, SUMMARY, TABLE_HEAD, ROW, CARD = 78, 66, 118, 30, 28, 198
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
    """All under the note."""


def panel_places(layout: Layout) -> PanelPlaces:
    """Places the parts of the panel; as many rows as there is room for."""
    panel, px = layout.panel, layout.px
    left, width = panel.left + px(MARGIN), max(panel.width - 2 * px(MARGIN), 0)
    top = panel.top + px(MARGIN)

    def next_part(height: int) -> Rect:
        nonlocal top
        part = Rect(left, top, width, height)
        top += height
        return part

    header, note = next_part(px(HEADER)), next_part(px(NOTE))
    rest = Rect(left, top, width, max(panel.bottom - top, 0))
    summary, table_head = next_part(px(SUMMARY)), next_part(px(TABLE_HEAD))
    room = panel.bottom - top
    has_card = room >= px(CARD + 3 * ROW) and panel.width > 0
    card = Rect(left, panel.bottom - px(CARD), width, px(CARD)) if has_card else None
    count = max((room - (px(CARD) if has_card else 0)) // px(ROW), 0) if width else 0
    rows = tuple(next_part(px(ROW)) for _ in range(count))
    return PanelPlaces(header, note, summary, table_head, rows, card, rest)
