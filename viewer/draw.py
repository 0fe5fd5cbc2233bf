"""A model put onto a surface. Nothing is kept between frames but pictures of tiles and of texts."""

from functools import lru_cache

import numpy as np
import pygame
from pygame import Surface

from jaxsweep.engines.beliefs import Status
from jaxsweep.rules.board import Cell
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.position import FLAGGED
from jaxsweep.single.outlines import NONE
from viewer.events import Point
from viewer.film import SPEEDS, Film
from viewer.layout import BUTTONS, MARGIN, Layout, Rect
from viewer.model import HELP, MENU_ROWS, Mode, Model
from viewer.theme import DARK, LIGHT, Colour, Theme, blend
from viewer.thoughts import Thought

TEXT, SMALL, LARGE = 17, 14, 26
"""Heights of letters in pixels."""

SHADES = 40
"""Steps from the lightest to the darkest covered cell: few enough to keep a tile for each."""


def draw(surface: Surface, model: Model) -> None:
    """The whole window."""
    theme, layout = (DARK if model.dark else LIGHT), model.layout
    surface.fill(theme.background)
    _draw_field(surface, model, theme, layout)
    _draw_bar(surface, model, theme, layout)
    _draw_panel(surface, model, theme, layout)
    if layout.timeline is not None:
        _draw_timeline(surface, model.shown_film, theme, layout.timeline)
    if model.menu is not None:
        _draw_menu(surface, model, theme)
    if model.help:
        _draw_help(surface, theme)


# Texts


FINER = 3
"""Letters are drawn so many times larger and made smaller: small ones look better for it."""


@lru_cache(maxsize=64)
def _font(height: int) -> pygame.font.Font:
    return pygame.font.Font(None, round(height * 1.35 * FINER))


def _width(text: str, height: int) -> int:
    return _font(height).size(text)[0] // FINER


@lru_cache(maxsize=4096)
def _words(text: str, height: int, colour: Colour) -> Surface:
    large = _font(height).render(text or " ", True, colour)  # Nothing cannot be made smaller.
    small = (max(large.get_width() // FINER, 1), max(large.get_height() // FINER, 1))
    return pygame.transform.smoothscale(large, small)


def _write(surface: Surface, text: str, at: Point, height: int, colour: Colour) -> int:
    """Puts a line of text; returns its width."""
    words = _words(text, height, colour)
    surface.blit(words, at)
    return words.get_width()


def _fold(text: str, width: int, height: int) -> list[str]:
    """A text in lines that fit; a word that is too long for any is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if _width(longer, height) <= width:
            lines[-1] = longer
        else:
            lines.append(_cut(word, width, height))
    return [line for line in lines if line]


def _cut(text: str, width: int, height: int) -> str:
    """A text that fits in one line, if need be without its end."""
    if _width(text, height) <= width:
        return text
    while text and _width(text + "…", height) > width:
        text = text[:-1]
    return text + "…"


# The board


def _draw_field(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    field = layout.field
    surface.set_clip(pygame.Rect(field.left, field.top, field.width, field.height))
    if model.mode in (Mode.REPLAY, Mode.WATCH) and model.shown_film is None:
        lines = (
            "Drop a replay or a position here.",
            "F3 watches a player, F4 is for you.",
            "F1: keys",
        )
        for i, line in enumerate(lines):
            at = (field.left + MARGIN, field.top + MARGIN + i * (LARGE + 8))
            _write(surface, line, at, TEXT + 3, theme.faint)
    else:
        _draw_cells(surface, model, theme, layout)
        _draw_outlines(surface, model, theme, layout)
        _draw_choices(surface, model, theme, layout)
    surface.set_clip(None)


def _draw_cells(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    grid, (rows, cols) = model.grid, layout.seen()
    mines, blown = _truth(model)
    thought, overlay = model.current, model.overlay
    analysis = None if thought is None else thought.analysis
    shades = _shades(model, thought)
    has_odds = analysis is not None and analysis.has_odds
    cell, tiles = layout.cell, []
    for row in rows:
        for col in cols:
            value, at = int(grid[row, col]), layout.place((row, col))
            if value >= 0:
                tiles.append((_tile(theme, cell, f"{value}", None), at))
                continue
            kind = "flag" if value == FLAGGED else "covered"
            if mines is not None and mines[row, col]:
                kind = "blown" if blown[row, col] else ("flag" if value == FLAGGED else "mine")
            elif mines is not None and value == FLAGGED:
                kind = "false flag"
            shade = None if shades is None else int(shades[row, col])
            tiles.append((_tile(theme, cell, kind, shade), at))
            if analysis is None or mines is not None:
                continue
            safe, mined = analysis.safe[row, col], analysis.certain_mines[row, col]
            if overlay.marks and (safe or mined):
                if safe or value != FLAGGED:  # A flag says that it is a mine.
                    tiles.append((_mark(theme, cell, "safe" if safe else "certain mine"), at))
            elif overlay.percent and has_odds and value != FLAGGED and cell >= 14:
                share = "0" if safe else "100" if mined else _percent(analysis.odds[row, col])
                tiles.append(_centred(share, at, cell, _on_shade(theme, shade)))
    surface.blits(tiles, False)


def _truth(model: Model) -> tuple[np.ndarray | None, np.ndarray]:
    """Where the mines are, if that may be seen, and which of them is open."""
    board = None
    if model.mode is Mode.PLAY and model.playing.session.opening is not None:
        board = model.playing.session.board
    elif model.shown_film is not None and model.shown_film.moves:
        board = model.shown_film.board
    if board is None or board.status is GameStatus.PLAYING:
        return None, np.zeros((1, 1), bool)
    return board.mines, board.mines & board.opened


def _shades(model: Model, thought: Thought | None) -> np.ndarray | None:
    """How dark each covered cell is, 0 to `SHADES`: the likelier a mine, the darker."""
    analysis = None if thought is None else thought.analysis
    if not model.overlay.odds or analysis is None or not analysis.has_odds:
        return None
    return np.rint(np.clip(analysis.odds, 0, 1) * SHADES).astype(int)


def _on_shade(theme: Theme, shade: int | None) -> Colour:
    if shade is None:
        return theme.text
    return theme.on_unlikely if shade < SHADES * 0.45 else theme.on_likely


def _percent(chance: float) -> str:
    """Two digits; neither 0 nor 100, which are for certain cells."""
    return f"{min(max(round(float(chance) * 100), 1), 99)}"


def _centred(text: str, at: Point, cell: int, colour: Colour) -> tuple[Surface, Point]:
    words = _words(text, max(cell * 42 // 100, 7), colour)
    return words, (
        at[0] + (cell - words.get_width()) // 2,
        at[1] + (cell - words.get_height()) // 2,
    )


@lru_cache(maxsize=2048)
def _tile(theme: Theme, cell: int, kind: str, shade: int | None) -> Surface:
    """A picture of one cell."""
    tile = Surface((cell, cell))
    if kind.isdigit():
        tile.fill(theme.opened)
        pygame.draw.rect(tile, theme.grid, (0, 0, cell, cell), 1)
        if kind != "0":
            tile.blit(*_digit(kind, cell, theme.numbers[int(kind) - 1]))
        return tile
    face = theme.covered
    if shade is not None:
        face = blend(theme.unlikely, theme.likely, shade / SHADES)
    if kind == "blown":
        face = theme.exploded
    tile.fill(face)
    if cell >= 8:
        rim = max(cell // 14, 1)
        for colour, rect in (
            (blend(face, theme.light_edge, 0.6), (0, 0, cell, rim)),
            (blend(face, theme.light_edge, 0.6), (0, 0, rim, cell)),
            (blend(face, theme.dark_edge, 0.8), (0, cell - rim, cell, rim)),
            (blend(face, theme.dark_edge, 0.8), (cell - rim, 0, rim, cell)),
        ):
            pygame.draw.rect(tile, colour, rect)
    _draw_symbol(tile, theme, cell, kind, _on_shade(theme, shade))
    return tile


def _digit(kind: str, cell: int, colour: Colour) -> tuple[Surface, Point]:
    words = _words(kind, max(cell * 62 // 100, 5), colour)
    return words, ((cell - words.get_width()) // 2, (cell - words.get_height()) // 2 + cell // 24)


def _draw_symbol(tile: Surface, theme: Theme, cell: int, kind: str, ink: Colour) -> None:
    middle = cell // 2
    if kind in ("flag", "false flag"):
        pole = (cell * 42 // 100, cell * 22 // 100, max(cell // 14, 1), cell * 56 // 100)
        pygame.draw.rect(tile, ink, pole)
        tip = [
            (cell * 45 // 100, cell * 20 // 100),
            (cell * 78 // 100, cell * 36 // 100),
            (cell * 45 // 100, cell * 52 // 100),
        ]
        pygame.draw.polygon(tile, theme.flag, tip)
        pygame.draw.rect(
            tile,
            ink,
            (cell * 28 // 100, cell * 76 // 100, cell * 36 // 100, max(cell // 12, 1)),
        )
    if kind in ("mine", "blown"):
        for dx, dy in ((1, 0), (0, 1), (0.7, 0.7), (0.7, -0.7)):
            far = cell * 0.36
            begin, end = ((middle + s * dx * far, middle + s * dy * far) for s in (-1, 1))
            pygame.draw.line(tile, (20, 20, 20), begin, end, max(cell // 14, 1))
        pygame.draw.circle(tile, (20, 20, 20), (middle, middle), max(cell * 26 // 100, 1))
        pygame.draw.circle(
            tile, (235, 235, 235), (middle - cell // 10, middle - cell // 10), max(cell // 16, 1)
        )
    if kind == "false flag":
        _draw_cross(tile, ink, cell, 0.2)


def _draw_cross(tile: Surface, colour: Colour, cell: int, inset: float) -> None:
    near, far, width = cell * inset, cell * (1 - inset), max(cell // 9, 1)
    pygame.draw.line(tile, colour, (near, near), (far, far), width)
    pygame.draw.line(tile, colour, (near, far), (far, near), width)


@lru_cache(maxsize=256)
def _mark(theme: Theme, cell: int, kind: str) -> Surface:
    """A certain cell: a ring for safe, a cross for a mine. Shapes, not colours alone."""
    mark = Surface((cell, cell), pygame.SRCALPHA)
    rim = max(cell // 9, 1)
    if kind == "safe":
        pygame.draw.circle(
            mark, (255, 255, 255), (cell // 2, cell // 2), cell * 33 // 100 + 1, rim + 2
        )
        pygame.draw.circle(mark, theme.safe, (cell // 2, cell // 2), cell * 33 // 100, rim)
    else:
        _draw_cross(mark, (255, 255, 255), cell, 0.27)
        _draw_cross(mark, theme.mine, cell, 0.29)
    return mark


def _draw_outlines(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """A thick line around each edge, in its colour; a thin one between tile sets."""
    thought = model.current
    if not model.overlay.outlines or thought is None or thought.outlines is None:
        return
    edges, sets = thought.outlines.edges, thought.outlines.sets
    wide, cell = max(layout.cell // 9, 2), layout.cell
    rows, cols = layout.seen()
    for row in rows:
        for col in cols:
            if edges[row, col] == NONE:
                continue
            colour = theme.edges[edges[row, col] % len(theme.edges)]
            left, top = layout.place((row, col))
            for (down, right), line in (
                ((-1, 0), ((left, top), (left + cell - 1, top))),
                ((1, 0), ((left, top + cell - 1), (left + cell - 1, top + cell - 1))),
                ((0, -1), ((left, top), (left, top + cell - 1))),
                ((0, 1), ((left + cell - 1, top), (left + cell - 1, top + cell - 1))),
            ):
                beside = (row + down, col + right)
                inside = 0 <= beside[0] < layout.rows and 0 <= beside[1] < layout.cols
                if not inside or edges[beside] != edges[row, col]:
                    pygame.draw.line(surface, colour, *line, wide)
                elif sets[beside] != sets[row, col]:
                    pygame.draw.line(surface, colour, *line, 1)


def _draw_choices(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    """Frames around the best cell, the last move, a hint, and the cell that is edited."""
    thought, film = model.current, model.shown_film
    if film is not None and film.last is not None:
        for cell in film.last.cells:
            _frame(surface, layout, cell, theme.accent)
    analysis = None if thought is None else thought.analysis
    if model.overlay.marks and analysis is not None and analysis.best is not None:
        _frame(surface, layout, analysis.best, theme.best, 2)
    if model.mode is Mode.PLAY and model.playing.hint is not None:
        _frame(surface, layout, model.playing.hint, theme.best, 2)
    if model.mode is Mode.ANALYSE:
        _frame(surface, layout, model.editing.chosen, theme.accent)


def _frame(surface: Surface, layout: Layout, cell: Cell, colour: Colour, more: int = 0) -> None:
    left, top = layout.place(cell)
    width = max(layout.cell // 12, 1) + more
    pygame.draw.rect(surface, colour, (left, top, layout.cell, layout.cell), width, 3)


# Around the board


def _draw_bar(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    pygame.draw.rect(surface, theme.panel, _rect(layout.bar))
    modes = list(Mode)
    labels = [f"{mode.value} F{i + 2}" for i, mode in enumerate(modes)]
    labels += ["Menu N", "Light T" if model.dark else "Dark T", "Keys F1"]
    for i in range(BUTTONS):
        button = layout.button(i)
        chosen = i < len(modes) and modes[i] is model.mode
        if chosen:
            pygame.draw.rect(
                surface, theme.accent, (button.left, button.height - 3, button.width, 3)
            )
        text = _cut(labels[i], button.width - 8, SMALL)
        words = _words(text, SMALL, theme.accent if chosen else theme.text)
        surface.blit(
            words,
            (
                button.left + (button.width - words.get_width()) // 2,
                (button.height - words.get_height()) // 2,
            ),
        )


def _rect(rect: Rect) -> pygame.Rect:
    return pygame.Rect(rect.left, rect.top, rect.width, rect.height)


def _draw_panel(surface: Surface, model: Model, theme: Theme, layout: Layout) -> None:
    panel = layout.panel
    if not panel.width:
        if model.message:  # A narrow window has no panel; what must be said goes to its foot.
            text = _cut(model.message, layout.bar.width - 2 * MARGIN, SMALL)
            foot = panel.top + panel.height - SMALL - 4
            _write(surface, text, (MARGIN, foot), SMALL, theme.accent)
        return
    pygame.draw.rect(surface, theme.panel, _rect(panel))
    surface.set_clip(_rect(panel))
    left, top, width = panel.left + MARGIN, panel.top + MARGIN, panel.width - 2 * MARGIN
    for text, height, colour in _panel_lines(model, theme):
        for line in _fold(text, width, height) or [""]:
            _write(surface, line, (left, top), height, colour)
            top += height + 6
        top += 3
    surface.set_clip(None)


def _panel_lines(model: Model, theme: Theme) -> list[tuple[str, int, Colour]]:
    """What the panel says, from top to bottom: text, height of its letters, colour."""
    lines = {
        Mode.REPLAY: _film_lines,
        Mode.WATCH: _film_lines,
        Mode.PLAY: _play_lines,
        Mode.ANALYSE: _analyse_lines,
    }[model.mode](model, theme)
    if model.message:
        lines.append((model.message, TEXT, theme.accent))
    if model.overlay.any or model.mode is Mode.ANALYSE:
        lines += _thought_lines(model, theme)
    if model.mode is Mode.PLAY and model.standing:
        lines.append(("", SMALL, theme.faint))
        lines += [(line, SMALL, theme.faint) for line in model.standing]
    return lines


def _film_lines(model: Model, theme: Theme) -> list[tuple[str, int, Colour]]:
    film = model.shown_film
    if film is None:
        return [("No replay yet", LARGE, theme.text)]
    end = {GameStatus.WON: ", won", GameStatus.LOST: ", lost"}.get(
        film.boards[-1].status if film.is_over else GameStatus.PLAYING, ""
    )
    lines = [
        (f"{film.strategy}{end}", LARGE, theme.text),
        (
            f"{film.opening.level}, {film.opening.start.value} start, seed {film.seed}",
            SMALL,
            theme.faint,
        ),
        (f"move {film.at} of {len(film.moves)}{'' if film.complete else ' …'}", TEXT, theme.text),
    ]
    if film.last is not None:
        risk = film.last.risk
        known = "" if risk is None or not film.last.reason.is_guess else f", {risk:.1%}"
        lines.append((f"{film.last.reason.text}{known}", TEXT, theme.text))
    if not film.moves and not film.complete:
        lines.append(("the player wakes up …", TEXT, theme.faint))
    survived = "not known" if film.survival is None else f"{film.survival:.1%}"
    lines.append((f"survived so far: {survived}", TEXT, theme.text))
    return lines


def _play_lines(model: Model, theme: Theme) -> list[tuple[str, int, Colour]]:
    session, playing = model.playing.session, model.playing
    return [
        (f"{session.mines_left} mines, {int(playing.seconds)} s", LARGE, theme.text),
        (
            f"{session.level}, {session.start.value} start, seed {session.seed}"
            + (", with help" if playing.helped else ""),
            SMALL,
            theme.faint,
        ),
        ("R new game, H hint, U undo", SMALL, theme.faint),
    ]


def _analyse_lines(model: Model, theme: Theme) -> list[tuple[str, int, Colour]]:
    rows, cols = model.editing.grid.shape
    return [
        (f"{model.editing.mines} mines", LARGE, theme.text),
        (f"{rows} rows, {cols} columns; + and − change the mines", SMALL, theme.faint),
    ]


def _thought_lines(model: Model, theme: Theme) -> list[tuple[str, int, Colour]]:
    thought = model.current
    if thought is None:
        return [("thinking …", TEXT, theme.faint)]
    if thought.analysis is None:
        return [(thought.wrong, TEXT, theme.mine)]
    analysis = thought.analysis
    lines = []
    if analysis.status is Status.EXACT:
        few = analysis.layouts is not None
        count = f"{analysis.layouts:,}" if few else f"about 10^{analysis.log10_layouts:.1f}"
        lines.append((f"{count} layouts left", TEXT, theme.text))
    else:
        lines.append((analysis.status.name.lower().replace("_", " "), TEXT, theme.text))
    certain = f"certain: {int(analysis.safe.sum())} safe, {int(analysis.certain_mines.sum())} mined"
    lines.append((certain, TEXT, theme.text))
    if analysis.best is not None:
        lines.append((f"best: {analysis.best}", TEXT, theme.text))
        lines.append((analysis.reason, SMALL, theme.faint))
    return lines


def _draw_timeline(surface: Surface, film: Film | None, theme: Theme, rect: Rect) -> None:
    """A bar for the risk of each move, taller the riskier, and where the film is."""
    pygame.draw.rect(surface, theme.panel, _rect(rect))
    if film is None or not film.moves:
        return
    base, room, count = rect.top + rect.height - 22, rect.height - 34, len(film.moves)
    pygame.draw.line(surface, theme.grid, (rect.left, base), (rect.left + rect.width, base))
    for i, move in enumerate(film.moves):
        left = rect.left + round(i * rect.width / count)
        width = max(round((i + 1) * rect.width / count) - round(i * rect.width / count) - 1, 1)
        if move.reason.is_guess:
            # Half the height is a risk of a half: what is above is rarely chosen.
            height = 8 if move.risk is None else max(round(room * min(move.risk, 1.0)), 4)
            colour = theme.faint if move.risk is None else theme.mine
            pygame.draw.rect(surface, colour, (left, base - height, width, height))
        else:
            pygame.draw.rect(surface, theme.safe, (left, base - 3, width, 3))
    here = rect.left + round(film.at * rect.width / count)
    here = min(here, rect.left + rect.width - 2)
    pygame.draw.line(surface, theme.text, (here, rect.top + 4), (here, base + 4), 2)
    state = "running" if film.running else "Space runs it"
    speed = f"{SPEEDS[film.speed]:g} move{'' if SPEEDS[film.speed] == 1 else 's'} a second"
    _write(
        surface,
        f"{state}, {speed}; G: next guess",
        (rect.left + MARGIN, base + 6),
        SMALL - 2,
        theme.faint,
    )


# On top


def _draw_menu(surface: Surface, model: Model, theme: Theme) -> None:
    menu, settings = model.menu, model.menu.draft if model.menu else model.settings
    if menu is None:
        return
    values = (
        str(settings.level),
        settings.start.value,
        settings.strategy,
        str(settings.seed),
        settings.name,
    )
    width = min(430, surface.get_width() - 2 * MARGIN)
    height = (len(MENU_ROWS) + 2) * 30 + 24
    left = (surface.get_width() - width) // 2
    top = max((surface.get_height() - height) // 2, 0)
    _box(surface, theme, (left, top, width, height))
    for i, (name, value) in enumerate(zip(MENU_ROWS, values, strict=True)):
        y = top + 16 + i * 30
        colour = theme.accent if i == menu.row else theme.text
        _write(surface, name, (left + 20, y), TEXT, colour)
        shown = (
            f"‹ {value} ›" if i == menu.row and i < 4 else value + ("_" if i == menu.row else "")
        )
        _write(surface, _cut(shown, width - 150, TEXT), (left + 130, y), TEXT, colour)
    hint = "arrows choose, Enter takes it, Esc leaves"
    text = _cut(hint, width - 40, SMALL)
    _write(surface, text, (left + 20, top + height - 34), SMALL, theme.faint)


def _draw_help(surface: Surface, theme: Theme) -> None:
    count = sum(len(keys) + 1 for _, keys in HELP)
    step = min(max((surface.get_height() - 40) // (count + 1), 9), 24)
    height = (count + 1) * step + 10
    width = min(560, surface.get_width() - 2 * MARGIN)
    left = (surface.get_width() - width) // 2
    top = max((surface.get_height() - height) // 2, 0)
    letters = max(min(step - 8, TEXT), 7)
    _box(surface, theme, (left, top, width, height))
    y = top + 12
    for name, keys in HELP:
        _write(surface, name, (left + 18, y), letters, theme.accent)
        y += step
        for key, meaning in keys:
            _write(surface, key, (left + 30, y), letters, theme.text)
            _write(
                surface, _cut(meaning, width - 210, letters), (left + 190, y), letters, theme.text
            )
            y += step


def _box(surface: Surface, theme: Theme, rect: tuple[int, int, int, int]) -> None:
    pygame.draw.rect(surface, theme.panel, rect, 0, 8)
    pygame.draw.rect(surface, theme.faint, rect, 1, 8)
