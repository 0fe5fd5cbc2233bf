"""Reads single keys from a terminal, and restores the terminal afterwards."""

import io
import os
import re
import select
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console

from jaxsweep.runtime.errors import UserError

UP, DOWN, LEFT, RIGHT = "up", "down", "left", "right"

_ARROWS = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT}

# ESC [ … and ESC O …: the escape sequences of keys that are no characters.
_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)([@-~])")
_INCOMPLETE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")

_SHOW_CURSOR, _LEAVE_SCREEN = b"\x1b[?25h", b"\x1b[?1049l"


class TerminalError(UserError):
    """There is no terminal to play in."""


def decode(data: bytes) -> tuple[list[str], bytes]:
    """Returns the keys in what a terminal sent, and the incomplete escape sequence at its end.

    Letters become lower case; keys other than arrows and characters are left out.
    """
    keys: list[str] = []
    while data and not _INCOMPLETE.match(data):
        if sequence := _SEQUENCE.match(data):
            arrow = _ARROWS.get(sequence[1].decode())
            keys += [] if arrow is None else [arrow]
            data = data[sequence.end() :]
        else:
            char, data = chr(data[0]), data[1:]
            keys += [char.lower()] if char.isascii() and char.isprintable() else []
    return keys, data


def presses(seconds: float) -> Iterator[str | None]:
    """Yields keys as they are pressed until the terminal is gone, and None after some seconds."""
    stdin, rest = sys.stdin.fileno(), b""
    while True:
        if not select.select([stdin], [], [], seconds)[0]:
            rest = b""  # No more came after an ESC: it was the key itself.
            yield None
        elif data := os.read(stdin, 1024):
            keys, rest = decode(rest + data)
            yield from keys
        else:
            return


@contextmanager
def whole_screen(console: Console) -> Iterator[None]:
    """Switches to the alternate screen, without a cursor, with keys that need no Enter.

    All is restored in the end. Raises `TerminalError` where there is no such terminal.
    """
    try:
        import termios
        import tty
    except ImportError:
        raise TerminalError(
            "playing in the terminal needs a Unix terminal, which this system has not"
        ) from None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise TerminalError("playing needs a terminal for keys and board, not a file or a pipe")
    if console.is_dumb_terminal or not console.is_terminal:
        raise TerminalError("playing needs a terminal that can draw a board in place")
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    with ExitStack() as restore:
        restore.callback(termios.tcsetattr, stdin, termios.TCSAFLUSH, before)
        tty.setcbreak(stdin)
        keys = termios.tcgetattr(stdin)
        # Ctrl-Z would leave the shell on this screen.
        keys[6][termios.VSUSP] = bytes([os.fpathconf(stdin, "PC_VDISABLE")])
        termios.tcsetattr(stdin, termios.TCSADRAIN, keys)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A character that the terminal cannot encode must not end the game.
            restore.callback(sys.stdout.reconfigure, errors=sys.stdout.errors)
            sys.stdout.reconfigure(errors="replace")
        # Not through the console, which may be what failed.
        restore.callback(os.write, sys.stdout.fileno(), _SHOW_CURSOR + _LEAVE_SCREEN)
        console.set_alt_screen(True)
        console.show_cursor(False)
        yield
