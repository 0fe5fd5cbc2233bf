"""From presses and releases of mouse buttons to clicks, and back.

Replays of people's games hold what the mouse did. What that means is the same in all programs: the
left button opens when it is released; the right one toggles a flag when it is pressed; both at once
chord when either is released, and the release of the other does nothing then. A right press on an
open cell that becomes part of a chord is no click of its own.
"""

import enum
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from jaxsweep.formats.base import FormatError
from jaxsweep.formats.byte_reader import name_of
from jaxsweep.rules.board import Board, Cell, Mask
from jaxsweep.rules.clicks import Button, Click, ClickedGame, play
from jaxsweep.rules.status import GameStatus

T = TypeVar("T")

MAX_CLICKS = 100_000
"""More clicks than any game has: a file that goes on after them is refused."""

MAX_EVENTS = 2**20
"""More events of the mouse, moves included, than any game has."""


class Mouse(enum.Enum):
    """What the mouse did; the values are the codes of the .rawvf format and of ms_toollib."""

    MOVE = "mv"
    LEFT_PRESS = "lc"
    LEFT_RELEASE = "lr"
    RIGHT_PRESS = "rc"
    RIGHT_RELEASE = "rr"
    MIDDLE_PRESS = "mc"
    MIDDLE_RELEASE = "mr"
    FLAG_BEFORE = "pf"
    """A flag that was set before the recording began."""
    OTHER_PRESS = "cc"
    """The press of whichever button is up, while the other is down."""
    LEFT_TOGGLE = "l"
    """A press or a release, whichever it must be."""
    RIGHT_TOGGLE = "r"
    MIDDLE_TOGGLE = "m"
    SHIFT_PRESS = "sc"
    """The left button with the shift key: both buttons at once, until it is released."""


class MouseEvent(NamedTuple):
    """One event of the mouse."""

    what: Mouse
    seconds: float
    cell: Cell | None
    """The cell under the pointer; None if that was off the board."""


def cell_at(x: int, y: int, size: int, shape: tuple[int, ...]) -> Cell | None:
    """Returns the cell at these pixels from the board's corner; None if they are off the board."""
    row, col = y // size, x // size
    return (row, col) if 0 <= row < shape[0] and 0 <= col < shape[1] else None


def centre_of(cell: Cell, size: int) -> tuple[int, int]:
    """Returns x and y of the middle of a cell, in pixels."""
    return cell[1] * size + size // 2, cell[0] * size + size // 2


class Buttons:
    """Which buttons are down, and the clicks that they have made on a board."""

    def __init__(self, mines: Mask):
        self.board = Board.all_hidden(mines)
        self.clicks: list[Click] = []
        self.left = self.right = self.middle = self.shift = False
        self.spent = False
        """Whether the left button was part of a chord: its release does nothing."""
        self.idle_right: int | None = None
        """The index of a right click on an open cell, which a chord takes back."""

    def do(self, event: MouseEvent) -> None:
        """Carries out one event."""
        match event.what:
            case Mouse.LEFT_PRESS:
                self.left = True
            case Mouse.RIGHT_PRESS:
                self._press_right(event)
            case Mouse.LEFT_RELEASE:
                self._release_left(event)
            case Mouse.RIGHT_RELEASE:
                self._release_right(event)
            case Mouse.MIDDLE_PRESS:
                self.middle = True
            case Mouse.MIDDLE_RELEASE:
                self.middle = False
                self._click(Button.CHORD, event)
            case Mouse.FLAG_BEFORE:
                self._click(Button.RIGHT, event)
            case Mouse.OTHER_PRESS:
                self.left = self.right = True
            case Mouse.SHIFT_PRESS:
                self.left = self.right = self.shift = True
            case Mouse.LEFT_TOGGLE:
                self.do(event._replace(what=_TOGGLED[Mouse.LEFT_TOGGLE, self.left]))
            case Mouse.RIGHT_TOGGLE:
                self.do(event._replace(what=_TOGGLED[Mouse.RIGHT_TOGGLE, self.right]))
            case Mouse.MIDDLE_TOGGLE:
                self.do(event._replace(what=_TOGGLED[Mouse.MIDDLE_TOGGLE, self.middle]))

    def _press_right(self, event: MouseEvent) -> None:
        if not self.left and not self.right:
            if event.cell is not None and self.board.opened[event.cell]:
                self.idle_right = len(self.clicks)
            self._click(Button.RIGHT, event)
        self.right = True

    def _release_left(self, event: MouseEvent) -> None:
        if self.left and self.right:
            self._chord(event)
        elif self.left and not self.spent:
            self._click(Button.LEFT, event)
        self.left = self.spent = False
        self.right &= not self.shift
        self.shift = False

    def _release_right(self, event: MouseEvent) -> None:
        if self.left and self.right:
            self._chord(event)
            self.spent = True
        self.right, self.idle_right = False, None

    def _chord(self, event: MouseEvent) -> None:
        if self.idle_right is not None:
            del self.clicks[self.idle_right]
            self.idle_right = None
        self._click(Button.CHORD, event)

    def _click(self, button: Button, event: MouseEvent) -> None:
        if event.cell is None:
            return
        if len(self.clicks) == MAX_CLICKS:
            raise FormatError(f"more than {MAX_CLICKS} clicks")
        click = Click(button, event.cell, event.seconds)
        self.clicks.append(click)
        self.board = play(self.board, click).after


_TOGGLED = {
    (Mouse.LEFT_TOGGLE, False): Mouse.LEFT_PRESS,
    (Mouse.LEFT_TOGGLE, True): Mouse.LEFT_RELEASE,
    (Mouse.RIGHT_TOGGLE, False): Mouse.RIGHT_PRESS,
    (Mouse.RIGHT_TOGGLE, True): Mouse.RIGHT_RELEASE,
    (Mouse.MIDDLE_TOGGLE, False): Mouse.MIDDLE_PRESS,
    (Mouse.MIDDLE_TOGGLE, True): Mouse.MIDDLE_RELEASE,
}
"""What a toggle is, by whether the button is down."""


def clicks_of(events: Iterable[MouseEvent], mines: Mask) -> tuple[Click, ...]:
    """Returns the clicks on a board, up to the one that ends the game.

    Clicks off the board are left out. Raises `FormatError` for more events than any game has.
    """
    buttons = Buttons(mines)
    for event in limited(events):
        buttons.do(event)
        if buttons.board.status is not GameStatus.PLAYING:
            break
    return tuple(buttons.clicks)


def limited(events: Iterable[T]) -> Iterator[T]:
    """Yields events; raises `FormatError` for more than any game has."""
    for number, event in enumerate(events):
        if number == MAX_EVENTS:
            raise FormatError(f"more than {MAX_EVENTS} events: no game has as many")
        yield event


CLICK_EVENTS = {
    Button.LEFT: (Mouse.LEFT_PRESS, Mouse.LEFT_RELEASE),
    Button.RIGHT: (Mouse.RIGHT_PRESS, Mouse.RIGHT_RELEASE),
    Button.CHORD: (
        Mouse.LEFT_PRESS,
        Mouse.RIGHT_PRESS,
        Mouse.RIGHT_RELEASE,
        Mouse.LEFT_RELEASE,
    ),
}
"""What the mouse does for each kind of click."""


class TimedClick(NamedTuple):
    """A click with a whole number of milliseconds, as most formats count time."""

    click: Click
    cell: Cell
    milliseconds: int

    @property
    def mouse(self) -> tuple[Mouse, ...]:
        """What the mouse did."""
        return CLICK_EVENTS[self.click.button]


def timed_clicks(game: ClickedGame) -> Iterator[TimedClick]:
    """Yields the clicks with times that never decrease.

    Unknown times are made up: a second after the click before.
    """
    now = -1000
    for click in game.clicks:
        now = now + 1000 if click.seconds is None else max(now, 0, round(1000 * click.seconds))
        yield TimedClick(click, click.cell, now)


def milliseconds_of(game: ClickedGame) -> int:
    """Returns how long a game took: where that is unknown, until its last click."""
    if game.seconds is not None:
        return round(1000 * game.seconds)
    return max((timed.milliseconds for timed in timed_clicks(game)), default=0)


def written_name(game: ClickedGame, max_bytes: int | None = None) -> str:
    """Returns the player's name as it is written: what a reader of any format makes of it.

    It is cut to so many bytes of UTF-8, between two characters. Empty where there is none.
    """
    name = name_of((game.player or "").encode(errors="replace")) or ""
    return name.encode()[:max_bytes].decode(errors="ignore")
