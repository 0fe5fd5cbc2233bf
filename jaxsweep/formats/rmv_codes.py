"""The codes of the events in .rmv files."""

from jaxsweep.formats.mouse import Mouse

MAGIC = b"*rmv"

MOUSE = {
    1: Mouse.MOVE,
    2: Mouse.LEFT_PRESS,
    3: Mouse.LEFT_RELEASE,
    4: Mouse.RIGHT_PRESS,
    5: Mouse.RIGHT_RELEASE,
    6: Mouse.MIDDLE_PRESS,
    7: Mouse.MIDDLE_RELEASE,
}
TIMESTAMP, SHORT_MOVE = 0, 28
CLOSED, FLAG, OPEN_MINE, OPEN_NUMBER = 11, 13, 27, 18
"""Events of the board; a number n has the code `OPEN_NUMBER` + n."""

BOARD_EVENTS = (*range(9, 15), *range(18, 28))
BLAST, WIN, OTHER_END = 15, 16, 17
