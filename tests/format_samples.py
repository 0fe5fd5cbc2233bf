"""Small games and files of every format, made up, and files damaged at random."""

import json
import math
import re
from typing import Any

import numpy as np

from jaxsweep.formats import read, writable, write
from jaxsweep.formats.mouse import CLICK_EVENTS, timed_clicks
from jaxsweep.rules.board import Board
from jaxsweep.rules.clicks import Button, Click, ClickedGame, play
from jaxsweep.rules.status import GameStatus


def read_one(data, name="") -> Any:
    """The one thing that a file holds."""
    (content,) = read(data, name)
    return content


CODES = {"mv": 1, "lc": 2, "lr": 3, "rc": 4, "rr": 5, "mc": 6, "mr": 7}
SHAPES = ((9, 9, 10), (8, 8, 10), (16, 30, 99), (5, 7, 6), (1, 1, 0), (3, 250, 40), (2, 3, 6))


def made_up_game(seed, shape=None):
    """A game of somebody who clicks here and there, flags mines mostly, and may lose or stop."""
    rng = np.random.default_rng(seed)
    rows, cols, count = SHAPES[seed % len(SHAPES)] if shape is None else shape
    mines = np.zeros(rows * cols, bool)
    mines[rng.choice(rows * cols, count, replace=False)] = True
    mines = mines.reshape(rows, cols)
    board, clicks, now = Board.all_hidden(mines), [], 0
    careful = rng.random() < 0.7
    for _ in range(int(rng.integers(1, 120))):
        if board.status is not GameStatus.PLAYING:
            break
        button = list(Button)[rng.choice(3, p=[0.5, 0.25, 0.25])]
        cell = (int(rng.integers(rows)), int(rng.integers(cols)))
        if careful and button is Button.LEFT and mines[cell]:
            button = Button.RIGHT
        elif careful and button is Button.RIGHT and not mines[cell]:
            button = Button.CHORD
        if clicks:
            now += int(rng.choice([0, 17, 300, 90_000], p=[0.2, 0.5, 0.28, 0.02]))
        clicks.append(Click(button, cell, now / 1000))
        board = play(board, clicks[-1]).after
    return ClickedGame(mines, tuple(clicks), now / 1000, ("Ada", None, "王嘉宁")[seed % 3])


def mouse_events(game, size):
    """What the mouse did: code, milliseconds, x and y, a move before each click."""
    for timed in timed_clicks(game):
        x, y = timed.cell[1] * size + 3, timed.cell[0] * size + size - 1
        for mouse in ("mv", *(event.value for event in CLICK_EVENTS[timed.click.button])):
            yield mouse, timed.milliseconds, x, y


def evf(game, version, size=20):
    """A file of version 0 to 3."""
    rows, cols = game.mines.shape
    data = bytes([version, 0]) + bytes(version >= 3) + bytes([rows, cols])
    data += int(game.mines.sum()).to_bytes(2, "big") + bytes([size, 0, 0, 0, 9])
    data += round(1000 * game.seconds).to_bytes(3, "big")
    texts = ["test", game.player or "", "", "", "1", "2", ""] + [""] * (version >= 2)
    data += b"".join(text.encode() + b"\0" for text in texts) + np.packbits(game.mines).tobytes()
    for code, time, x, y in mouse_events(game, size):
        data += bytes([CODES[code]]) + time.to_bytes(3, "big")
        data += x.to_bytes(2, "big") + y.to_bytes(2, "big")
    return data + (b"\xff" if version % 2 else bytes(33))


def evfs(games):
    """Several replays in one file."""
    data = b"\0\0\2"
    for number, game in enumerate(games):
        replay = write("evf", game)
        data += f"game {number}".encode() + b"\0" + len(replay).to_bytes(4, "big") + replay + b"##"
    return data


def avf(game):
    """A replay of Arbiter; its times are in hundredths."""
    rows, cols = game.mines.shape
    mines = [(row + 1, col + 1) for row, col in np.argwhere(game.mines)]
    data = b"\x34\1\2\3\4\6" + bytes([cols - 1, rows - 1]) + len(mines).to_bytes(2, "big")
    data += b"".join(bytes(map(int, mine)) for mine in mines) + b"\x0b\x7f["
    data += b"0|1.1.2020.10:00:00:0000|1.10:00:09:0000|B9T%.2f]" % (game.seconds + 1)
    data += b"\x0c\x04\x03"
    bits = {"mv": 1, "lc": 3, "lr": 5, "rc": 9, "rr": 17}
    for code, time, x, y in mouse_events(game, 16):
        second, hundredths = time // 1000 + 1, time % 1000 // 10
        data += bytes([bits[code], x >> 8, second & 255, x & 255, hundredths, y >> 8, second >> 8])
        data += bytes([y & 255])
    data += bytes(8) + b"cs=>\r\nRealTime: 1.00\r\nSkin: 3.1\r"
    return data + (game.player or "").encode() + b"\rMinesweeper Arbiter 0.52.3."


def mvf(game, year="2005", key=1234):
    """A replay of Clone 0.97 or 2007, of at most 31 rows and columns."""
    rows, cols = game.mines.shape
    is_new = year[-1] in "67"
    head = b"\x11\x4d" + b"*" * 22 + year.encode()
    data = head.ljust(71 if is_new else 74, b"\0") + bytes(9)
    milliseconds = round(1000 * game.seconds)
    if is_new:
        data += milliseconds.to_bytes(3, "big") + bytes(1)
    else:
        data += (milliseconds // 1000).to_bytes(2, "big") + bytes([milliseconds % 1000 // 10])
        data += bytes(11)
    mines = np.argwhere(game.mines)
    data += bytes([cols, rows]) + len(mines).to_bytes(2, "big")
    data += b"".join(bytes([int(col) + 1, int(row) + 1]) for row, col in mines)
    player = (game.player or "").encode()
    data += bytes([len(player)]) + player + key.to_bytes(2, "big")
    events = list(mouse_events(game, 16))
    data += len(events).to_bytes(3, "big")
    size = 6 if is_new else 5
    order = _bit_order(key, 8 * size)
    down = {"l": 0, "r": 0}
    for code, time, x, y in events:
        if code != "mv":
            down[code[0]] = int(code[1] == "c")
        margin, width = (32, 11) if is_new else (0, 9)
        fields = [(down["r"], 1), (0, 1), (down["l"], 1), (y + margin, width), (x + margin, width)]
        if is_new:
            fields.append((time, 22))
        else:
            fields += [(time % 1000 // 10, 7), (time // 1000, 10)]
        plain = [value >> bit & 1 for value, bits in fields for bit in range(bits)]
        scrambled = sum(bit << place for bit, place in zip(plain, order, strict=False))
        data += scrambled.to_bytes(size, "little")
    return data


def _bit_order(key, bits):
    """The places of the bits of an event, by the digits of sines and cosines."""
    a, b = math.sqrt(key), math.sqrt(key + 1000)
    c, d = math.sqrt(a + 1000), math.sqrt(b + 1000)
    values = (
        math.cos(c + 1000),
        math.sin(math.sqrt(b)),
        math.cos(c),
        math.sin(math.sqrt(a) + 1000),
        math.cos(d),
        math.sin(d),
    )
    text = "".join(f"{round(abs(value) * 10**8):08d}" for value in values)[:bits]
    return [place for digit in "0123456789" for place in range(bits) if text[place] == digit]


def rmv1(game):
    """A replay of Vienna Minesweeper, version 1, in which the first press is left out."""
    rows, cols = game.mines.shape
    player = b"\0\1" + bytes([len((game.player or "").encode())]) + (game.player or "").encode()
    mines = np.argwhere(game.mines)
    board = bytes(4) + bytes([cols, rows]) + len(mines).to_bytes(2, "big")
    board += b"".join(bytes([int(col), int(row)]) for row, col in mines)
    events = b"\0\0\0\0\1"
    first = bool(game.clicks) and game.clicks[0].button is Button.LEFT
    for code, time, x, y in mouse_events(game, 16):
        if code == "lc" and first:
            first = False
            continue
        events += bytes([CODES[code]]) + time.to_bytes(3, "big") + b"\0"
        events += (x + 12).to_bytes(2, "big") + (y + 56).to_bytes(2, "big")
    events += b"\x11" + round(1000 * game.seconds).to_bytes(3, "big")
    sections = (b"\nLEVEL:x#\n", b"test", player, board, b"", b"\0\0\0\3\1")
    sizes = b"".join(len(section).to_bytes(2, "big") for section in sections)
    body = sizes + len(events).to_bytes(4, "big") + b"\0\2" + b"".join(sections) + events + b"##"
    return b"*rmv\0\1" + (len(body) + 10).to_bytes(4, "big") + body


def msor(game):
    """A replay as JSON, which says what every click showed."""
    rows, cols = game.mines.shape
    board, steps = Board.all_hidden(game.mines), []
    types = {Button.LEFT: 0, Button.RIGHT: 1, Button.CHORD: 3}
    for click in game.clicks:
        before, board = board, play(board, click).after
        touched = []
        for row, col in np.argwhere(board.opened & ~before.opened):
            value = 11 if board.mines[row, col] else int(board.numbers[row, col])
            touched += [int(col), int(row), value, 0, 0]
        if board.status is GameStatus.LOST:
            for row, col in np.argwhere(board.mines & ~board.opened & ~board.flags):
                touched += [int(col), int(row), 10, 0, 0]
            for row, col in np.argwhere(board.flags & ~board.mines):
                touched += [int(col), int(row), 12, 0, 0]
        step = {"type": types[click.button], "x": click.cell[1], "y": click.cell[0]}
        steps.append(step | {"touchCells": touched, "time": round(1000 * click.seconds)})
    header = {"width": cols, "height": rows, "mines": int(game.mines.sum())}
    return json.dumps({"header": header, "replay": steps}).encode()


def samples(seed):
    """A file of every format and version, by name."""
    game, small = made_up_game(seed), made_up_game(seed + 1, (9, 9, 10))
    files = {name: write(name, game) for name in writable()}
    files |= {f"evf {version}": evf(game, version) for version in range(4)}
    files |= {"evfs": evfs([game, small]), "avf": avf(game), "rmv 1": rmv1(game)}
    files |= {"mvf": mvf(small), "mvf 2007": mvf(small, "2007"), "msor": msor(game)}
    return files


def damaged(data, rng):
    """A copy of a file with a few changes: bytes set, taken out, doubled, or the end cut."""
    data = bytearray(data)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 8]))):
        if not data:
            break
        at = int(rng.integers(len(data)))
        size = int(rng.integers(1, 9))
        match int(rng.integers(7)):
            case 0:
                data[at] ^= 1 << int(rng.integers(8))
            case 1:
                data[at : at + size] = rng.bytes(size)
            case 2:
                data[at : at + size] = bytes([int(rng.choice([0, 255, 127, 128]))]) * size
            case 3:
                del data[at : at + size]
            case 4:
                data[at:at] = data[at : at + size]
            case 5:
                data[at:at] = rng.bytes(size)
            case 6:
                del data[max(at, len(data) // 2) :]
    return bytes(data)


EXTREMES = (0, 1, 2, 127, 128, 254, 255, 256, 2**15, 2**16 - 1, 2**24 - 1, 2**31, 2**32 - 1)
"""Numbers at the ends of what a field can hold."""

HEADER = 160
"""The bytes in which most formats have their sizes and counts."""


def with_a_wrong_number(data, rng):
    """A copy of a file with one number of its header replaced by one at the end of its range."""
    number = int(EXTREMES[rng.integers(len(EXTREMES))])
    digits = list(re.finditer(rb"[0-9]+", data[:4096])) if is_printable(data[:4096]) else []
    if digits:
        place = digits[rng.integers(len(digits))]
        text = (b"%d", b"-%d", b"%d.5", b"1e%d", b'"%d"', b"null")[rng.integers(6)]
        new = text % number if b"%" in text else text
        return data[: place.start()] + new + data[place.end() :]
    size = int(rng.integers(1, 5))
    at = int(rng.integers(min(len(data), HEADER) or 1))
    new = (number % 256**size).to_bytes(size, ("big", "little")[rng.integers(2)])
    return data[:at] + new + data[at + size :]


def is_printable(data):
    """Whether a file is text."""
    return not any(byte < 9 or 13 < byte < 32 for byte in data)


def stretched(data, rng, size):
    """A copy of a file of about this size: a few bytes of it come again and again."""
    at, width = int(rng.integers(len(data) or 1)), int(rng.integers(1, 41))
    unit = data[at : at + width] or b"\0"
    return data[:at] + unit * (max(size - len(data), 0) // len(unit)) + data[at:]
