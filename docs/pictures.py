"""Makes the pictures of the documentation from seeds: `python docs/pictures.py [PART …]`.

The parts are terminal, window and page; without one, all are made.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import jax
import numpy as np
import pygame
from PIL import Image
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from jaxsweep.commands.analyze import draw
from jaxsweep.inference import infer
from jaxsweep.rules.board import cells_of
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.position import Position, to_grid_position, to_text
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.single.analysis import analyze
from jaxsweep.single.grading import grade
from jaxsweep.single.replay import record, to_bytes, to_json
from tests.browser import DESKTOP, PHONE, opened
from tests.serving import running
from viewer import drawing
from viewer.analysis_result import analyse_position, count_numbers
from viewer.effects import Analyse, CountNumbers, Effect, GradeGame, WatchGame
from viewer.engine_worker import next_move
from viewer.events import (
    LEFT,
    RIGHT,
    AnalysisReady,
    Dropped,
    Event,
    Graded,
    Key,
    Motion,
    MovePlayed,
    NumbersCounted,
    Pasted,
    Press,
    Release,
    Tick,
)
from viewer.menu import MENU_ROWS
from viewer.model import Menu, Mode, Model, Settings
from viewer.theme import DARK, LIGHT
from viewer.update import start, update

IMAGES = Path(__file__).parent / "images"


def svg_template() -> str:
    """Rich's terminal window, without the fonts it would fetch from the network."""
    head, _, rest = CONSOLE_SVG_FORMAT.partition("@font-face")
    return head + rest[rest.index(".{unique_id}-matrix") :].replace("Fira Code", "Menlo, Consolas")


def telling_position(seed: int, many: int) -> Position:
    """Of many stuck expert positions the one with most to say: the most different odds."""
    batch = stuck_positions(Opening.of(LEVELS["expert"]), seed, many)
    odds = np.asarray(infer(batch).mine_probability)
    number = int(np.argmax([len(np.unique(grid.round(3))) for grid in odds]))
    return jax.tree.map(lambda leaf: leaf[..., number], batch)


def terminal_odds(position: Position) -> None:
    """Draws the odds of a position as `analyze` does."""
    console = Console(
        width=96, height=26, record=True, force_terminal=True, highlight=False, file=StringIO()
    )
    draw(analyze([to_grid_position(position)])[0], console)
    console.save_svg(
        str(IMAGES / "analyze.svg"), title="python -m jaxsweep.analyze", code_format=svg_template()
    )


SIZE = (1280, 800)

FILM_SIZE = (960, 620)
"""Of the window in the film: small enough to be read at the width of a page."""

MOVE_SECONDS, GUESS_SECONDS, END_SECONDS = 0.15, 1.2, 5.0
"""How long a frame of the film stays: before a certain move, before a guess, at the end."""


def after(model: Model, *events: Event) -> Model:
    """The window after some events, and after the engine has answered."""
    for event in events:
        model = update(model, event)
    while model.effects:
        asked, model = model.effects, replace(model, effects=())
        for effect in asked:
            for answer in _answers(effect):
                model = update(model, answer)
    return model


def _answers(effect: Effect) -> Iterator[Event]:
    """What the engine answers; other effects are left out."""
    match effect:
        case Analyse():
            yield AnalysisReady(analyse_position(effect.grid, effect.mines))
        case CountNumbers():
            yield NumbersCounted(count_numbers(effect.grid, effect.mines, effect.cell))
        case WatchGame(run, player, opening, seed):
            moves = iter(lambda: next_move(run, player, opening, seed), None)
            played = 0
            for played, (move, mines, win) in enumerate(moves, 1):
                yield MovePlayed(run, played - 1, move, mines if played == 1 else None, win)
            yield MovePlayed(run, played, None)
        case GradeGame(replay):
            yield Graded(replay, grade(replay))


def click(model: Model, cell: tuple[int, int], button: int = LEFT) -> Model:
    """The window after a click on a cell."""
    place = model.layout.place(cell)
    return update(update(model, Press(place, button)), Release(place, button))


def picture_of(model: Model) -> pygame.Surface:
    """A picture of the window."""
    surface = pygame.Surface(model.size)
    drawing.draw(surface, model)
    return surface


def photograph(model: Model, name: str) -> None:
    """Keeps a picture of the window."""
    pygame.image.save(picture_of(model), str(IMAGES / f"{name}.png"))


def window_replay(seed: int, move: int) -> None:
    """A replay with its grades, before one of its guesses; light and dark."""
    replay = record("exact", Opening.of(LEVELS["expert"]), seed)
    file = Dropped("game.json", json.dumps(to_json(replay)).encode())
    model = after(start(Settings(), Mode.REPLAY, SIZE), file)
    assert model.replay is not None
    model = replace(model, replay=model.replay.go(move))
    model = after(model, Key("p", "p"), Tick(0.0))
    photograph(model, "replay")
    photograph(replace(model, dark=True), "replay-dark")


def window_watch(seed: int, guess: int) -> None:
    """A game that is watched, in the dark, before one of its guesses."""
    model = after(start(Settings(level=LEVELS["expert"], seed=seed), Mode.WATCH, SIZE))
    for _ in range(guess):
        model = update(model, Key("g", "g"))
    photograph(after(model, Key("t", "t"), Key("p", "p")), "watch")


def window_film(seed: int) -> None:
    """A whole expert game of the strongest player, and what it weighs; light and dark."""
    settings = Settings(level=LEVELS["expert"], start=Start.ZERO, seed=seed)
    model = after(start(settings, Mode.WATCH, FILM_SIZE), Key("p", "p"))
    game = model.watched
    assert game is not None
    frames = []
    for at in range(len(game.moves) + 1):
        shown = replace(game.go(at), running=at < len(game.moves))
        model = after(replace(model, watched=shown), Motion(None))
        frames.append(model)
    seconds = [GUESS_SECONDS if move.reason.is_guess else MOVE_SECONDS for move in game.moves]
    for dark, name in ((False, "game"), (True, "game-dark")):
        pictures = [picture_of(replace(frame, dark=dark)) for frame in frames]
        save_film(pictures, [*seconds, END_SECONDS], IMAGES / f"{name}.gif")


def palette_of(images: list[Image.Image]) -> Image.Image:
    """Returns a palette of the window's own colours, rare ones too, and those that are frequent."""
    own = [colour for theme in (LIGHT, DARK) for colour in theme.colours()]
    seen = np.vstack([np.asarray(image).reshape(-1, 3) for image in images])
    colours, counts = np.unique(seen, axis=0, return_counts=True)
    frequent = [tuple(colour) for colour in colours[np.argsort(-counts)].tolist()]
    known = set(frequent)
    chosen = list(dict.fromkeys([*(colour for colour in own if colour in known), *frequent]))[:256]
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for colour in chosen for channel in colour])
    return palette


def save_film(pictures: list[pygame.Surface], seconds: list[float], path: Path) -> None:
    """Writes an animated GIF, whose frames share a palette."""
    images = [
        Image.frombytes("RGB", picture.get_size(), pygame.image.tobytes(picture, "RGB"))
        for picture in pictures
    ]
    palette = palette_of(images[:: max(len(images) // 8, 1)])
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    durations = [round(1000 * one) for one in seconds]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0)


def window_play(seed: int) -> None:
    """A game of one's own, with flags and a hint."""
    model = start(Settings(level=LEVELS["expert"], seed=seed, name="Ada"), Mode.PLAY, SIZE)
    model = replace(model, leaderboard=("expert, safe start: 2 of 7 won", "1. 143.2 s  Ada"))
    replay = record("exact", Opening.of(LEVELS["expert"]), seed)
    board = replay.boards()[len(replay.moves) // 2]
    for cell in cells_of(board.opened):
        model = click(model, cell)
    for cell in cells_of(board.flags)[::2]:
        model = click(model, cell, RIGHT)
    model = replace(model, play=replace(model.play, game=replace(model.play.game, seconds=87.0)))
    photograph(after(model, Motion(None), Key("h", "h")), "play")


def window_analyse(position: Position) -> None:
    """The position of the terminal's picture, with the outlines of components."""
    model = start(Settings(), Mode.ANALYSE, SIZE)
    photograph(after(model, Pasted(to_text(position)), Key("e", "e")), "analyse")


def window_start() -> None:
    """The start screen."""
    model = start(Settings(), Mode.PLAY, SIZE)
    photograph(replace(model, shows_start=True, recent=(LEVELS["expert"], Start.SAFE)), "start")


def window_menu() -> None:
    """The menu, with a size and a mode of one's own."""
    settings = Settings(level=Level(20, 24, 99), guesses=Guesses.ONLY_IF_FORCED, name="Ada")
    model = start(settings, Mode.PLAY, SIZE)
    menu = replace(Menu.of(settings), row=MENU_ROWS.index("Guesses"))
    photograph(replace(model, menu=menu), "menu")


def web_page(position: Position) -> None:
    """The page with the position of the terminal's picture, light and dark, large and small."""
    grid, mines = to_grid_position(position)
    rows = ["".join("H" if value < 0 else "abcdefghi"[value] for value in row) for row in grid]
    link = f"{grid.shape[1]}x{grid.shape[0]}x{mines}-{''.join(rows)}"
    with (
        running() as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        opened(Path(folder)) as tab,
    ):
        for name, screen, dark in (
            ("page", DESKTOP, False),
            ("page-dark", DESKTOP, True),
            ("page-phone", PHONE, True),
        ):
            tab.show(*screen, dark=dark)
            tab.go(f"{server.url}/#analyse={link}")
            tab.until("document.getElementById('cell-card').dataset.of")
            # On a phone the board is scrolled there.
            tab.until("document.querySelector('.best').getBoundingClientRect().right < innerWidth")
            tab.photograph(IMAGES / f"{name}.png")


def web_replay(seed: int) -> None:
    """A graded replay on the page, behind its last turning point."""
    data = to_bytes(record("exact", Opening.of(LEVELS["expert"]), seed))
    with (
        running() as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        opened(Path(folder)) as tab,
    ):
        tab.show(*DESKTOP)
        tab.go(f"{server.url}/#replay")
        tab.drop(data, "game.json")
        tab.until("document.querySelector('#turns li')")
        tab.click("#turns li:last-child button")
        tab.run("scrollTo(0, 0)")
        tab.photograph(IMAGES / "page-replay.png")


PARTS = ("terminal", "window", "page")


def main(parts: list[str]) -> None:
    """Makes the pictures of these parts."""
    use_cache()
    pygame.display.init()
    pygame.font.init()
    position = telling_position(seed=1, many=256)
    if "terminal" in parts:
        terminal_odds(position)
    if "window" in parts:
        window_film(seed=37)
        window_replay(seed=4, move=54)
        window_watch(seed=14, guess=8)
        window_play(seed=3)
        window_analyse(position)
        window_start()
        window_menu()
    if "page" in parts:
        web_page(position)
        web_replay(seed=4)


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
