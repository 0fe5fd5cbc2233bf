"""The window on a real X server: started as people start it, clicked, and looked at."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from jaxsweep.rules.level import Level, Start
from jaxsweep.single.session import Session
from tests.needs import program
from tests.waiting import PATIENCE
from viewer.layout import lay_out
from viewer.theme import LIGHT

LEVEL, SEED = Level(4, 5, 3), 11


@pytest.fixture
def display(tmp_path):
    """A screen of its own, on any free number."""
    xvfb = program("Xvfb")
    read, write = os.pipe()
    server = subprocess.Popen(
        [xvfb, "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as answer:
        name = f":{answer.readline().strip()}"
    yield name
    server.terminate()
    server.wait()


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found is not None and found is not False:
            return found
        time.sleep(0.1)
    pytest.fail(f"waited {PATIENCE} s for {what}")


class Screen:
    """The X server's side of the window."""

    def __init__(self, name):
        from Xlib import X
        from Xlib.display import Display

        self.x, self.display = X, Display(name)
        self.root = self.display.screen().root

    def window(self):
        title = self.display.intern_atom("_NET_WM_NAME")
        for child in self.root.query_tree().children:
            name = child.get_full_property(title, self.x.AnyPropertyType)
            if name is not None and name.value == b"jaxsweep":
                return child
        return None

    def picture(self):
        """The window's pixels; None while there is none, as SDL may create it a second time."""
        from Xlib.error import BadDrawable, BadMatch, BadWindow

        try:
            window = self.window()
            return None if window is None else self._pixels(window)
        except (BadDrawable, BadMatch, BadWindow):
            return None

    def _pixels(self, window):
        place = window.get_geometry()
        raw = window.get_image(0, 0, place.width, place.height, self.x.ZPixmap, 0xFFFFFFFF)
        pixels = np.frombuffer(raw.data, np.uint8).reshape(place.height, place.width, 4)
        return pixels[..., 2::-1]

    def click(self, window, at):
        from Xlib.ext import xtest

        corner = window.translate_coords(self.root, 0, 0)
        left, top = -corner.x + at[0], -corner.y + at[1]
        xtest.fake_input(self.display, self.x.MotionNotify, x=left, y=top)
        xtest.fake_input(self.display, self.x.ButtonPress, 1)
        xtest.fake_input(self.display, self.x.ButtonRelease, 1)
        self.display.sync()


def test_a_cell_is_clicked_through_the_x_server_and_seen_open(display, tmp_path):
    environment = os.environ | {"DISPLAY": display, "XDG_DATA_HOME": str(tmp_path)}
    environment.pop("SDL_VIDEODRIVER", None)
    sizes = [str(n) for n in (LEVEL.rows, LEVEL.cols, LEVEL.mines)]
    viewer = subprocess.Popen(
        [sys.executable, "-m", "viewer", "--level", "custom", *sizes, "--seed", str(SEED)],
        env=environment,
    )
    try:
        screen = Screen(display)
        until(lambda: screen.picture() is not None, "the window")
        shown = until(screen.window, "the window").get_geometry()
        layout = lay_out((shown.width, shown.height), (LEVEL.rows, LEVEL.cols), 1.0, (0, 0), False)

        def colour(cell):
            left, top = layout.place(cell)
            part = layout.cell // 5
            picture = screen.picture()
            return None if picture is None else tuple(map(int, picture[top + part, left + part]))

        until(lambda: colour((0, 0)) == LIGHT.hidden, "the first picture")
        left, top = layout.place((0, 0))
        screen.click(screen.window(), (left + layout.cell // 2, top + layout.cell // 2))
        until(lambda: colour((0, 0)) == LIGHT.opened, "the cell to open")
        board = Session.new(LEVEL, Start.SAFE, SEED).open((0, 0)).board
        for cell in np.ndindex(LEVEL.rows, LEVEL.cols):
            expected = LIGHT.opened if board.opened[cell] else LIGHT.hidden
            assert colour(cell) == expected, cell
        assert viewer.poll() is None
        screen.display.close()
    finally:
        viewer.terminate()
        viewer.wait(PATIENCE)
