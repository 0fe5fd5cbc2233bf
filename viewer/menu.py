"""The menu: level or custom size, start rule, mode, difficulty, player, seed and name."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from jaxsweep.puzzles.wishes import WishError, Wishes
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, MAX_SIDE, Level, LevelError, Start
from jaxsweep.scalar.players import PLAYERS
from jaxsweep.single import leaderboard
from jaxsweep.single.bending import check_size
from jaxsweep.single.dealing import Hardness
from jaxsweep.single.leaderboard import MAX_NAME_LENGTH, tidy_name
from viewer.events import Key
from viewer.model import MAX_CELLS, Editor, Menu, Mode, Model, Settings
from viewer.modes import play, watch

MENU_ROWS = (
    "Level", "Columns", "Rows", "Mines", "Start", "Guesses", "Difficulty", "Player", "Seed", "Name",
)  # fmt: skip

TYPED = ("Columns", "Rows", "Mines", "Seed", "Name")
"""Rows whose settings can be typed."""

STRIDE = 10
"""With Shift, numbers change by so much."""

_SIZES = {"Columns": "cols", "Rows": "rows", "Mines": "mines"}

_NOTES = {
    "Level": "A named level; columns, rows and mines make your own.",
    "Columns": "Type a number, or change it by the arrows; with Shift, by ten.",
    "Rows": "Type a number, or change it by the arrows; with Shift, by ten.",
    "Mines": "Type a number, or change it by the arrows; with Shift, by ten.",
    "Player": "Who plays in Watch.",
    "Seed": "The same seed deals the same board.",
    "Name": "Yours, for the leaderboard.",
}

_STARTS = {
    Start.ANY: "The first cell may be a mine.",
    Start.SAFE: "The first cell is never a mine.",
    Start.ZERO: "The first cell shows 0, and opens with all around it.",
}

_GUESSES = {
    Guesses.AS_DEALT: "A guess is safe or a mine, as the board was dealt.",
    Guesses.NOT_NEEDED: "The board can be solved without a guess.",
    Guesses.FORBIDDEN: "The board can be solved without a guess, and every guess is a mine.",
    Guesses.SAFE_IF_FORCED: "A guess is safe where no cell is certain, else as dealt.",
    Guesses.ONLY_IF_FORCED: "A guess is safe where no cell is certain, else a mine.",
}

_HARDNESS = {
    Hardness.ANY: "As hard as it comes.",
    Hardness.EASY: "As the easiest third of expert boards that need no guess.",
    Hardness.MIDDLE: "As the middle third of expert boards that need no guess.",
    Hardness.HARD: "As the hardest third of expert boards that need no guess.",
}

Option = TypeVar("Option")


def on_key(model: Model, menu: Menu, key: Key) -> Model:
    """Selects a row, changes its setting, applies the settings, or closes the menu."""
    match key.name:
        case "escape" | "f1":
            return replace(model, menu=None, focus=None)
        case "up" | "down":
            return move(model, menu, -1 if key.name == "up" else 1)
        case "left" | "right":
            step = (-1 if key.name == "left" else 1) * (STRIDE if key.shift else 1)
            return turn(model, menu, menu.row, step)
        case "return":
            return apply(model, menu)
    return replace(model, menu=_typed(menu, key))


def move(model: Model, menu: Menu, step: int) -> Model:
    """Selects a row farther down, or up; from the last one on, the first."""
    return replace(model, menu=replace(menu, row=(menu.row + step) % len(MENU_ROWS)))


def turn(model: Model, menu: Menu, row: int, step: int) -> Model:
    """Selects a row and takes its next option, or with a step below 0 one before."""
    return replace(model, menu=_turned(replace(menu, row=row), step))


def can_turn(menu: Menu, row: str) -> bool:
    """Whether a row has options now: only boards that need no guess have a difficulty."""
    return row != "Difficulty" or not menu.draft.guesses.are_needed


def menu_values(menu: Menu) -> tuple[str, ...]:
    """Returns the settings as they are written in the rows."""
    draft = menu.draft
    known = leaderboard.level_name(draft.level)
    is_known = known in LEVELS and _level_problem(menu) == ""
    size = f"{menu.rows}×{menu.cols}/{menu.mines}"
    return (
        f"{known if is_known else 'custom'}, {size}",
        str(menu.cols),
        str(menu.rows),
        str(menu.mines),
        draft.start.value,
        draft.guesses.value.replace("-", " "),
        draft.hardness.value if can_turn(menu, "Difficulty") else "–",
        draft.strategy,
        str(draft.seed),
        draft.name,
    )


def note(menu: Menu) -> str:
    """Returns what the selected row is about."""
    draft = menu.draft
    match MENU_ROWS[menu.row]:
        case "Start":
            return _STARTS[draft.start]
        case "Guesses":
            return _GUESSES[draft.guesses]
        case "Difficulty":
            if not can_turn(menu, "Difficulty"):
                return "Of boards that need no guess: with guesses not needed, or forbidden."
            return _HARDNESS[draft.hardness]
        case row:
            return _NOTES[row]


def problem(menu: Menu) -> str:
    """Returns why there can be no such game, in a sentence; empty if there can be."""
    found = _problem(menu)
    return f"{found[0].upper()}{found[1:]}." if found else ""


def _problem(menu: Menu) -> str:
    if found := _level_problem(menu):
        return found
    draft = menu.draft
    if draft.level.cells > MAX_CELLS:
        return f"the window takes boards of up to {MAX_CELLS} cells, not {draft.level.cells}"
    try:
        check_size(draft.level, draft.guesses)
        opening = draft.opening
        if not draft.guesses.are_needed:
            Wishes(opening)
    except (LevelError, WishError) as error:
        return str(error)
    return ""


def _level_problem(menu: Menu) -> str:
    """Returns why the typed size is no level; empty if it is."""
    try:
        Level(menu.rows, menu.cols, menu.mines)
    except LevelError as error:
        return str(error)
    return ""


def _with_draft(menu: Menu, draft: Settings) -> Menu:
    """Returns the menu with other settings, whose level is shown as its size."""
    return replace(Menu.of(draft), row=menu.row)


def _with_size(menu: Menu, name: str, value: int) -> Menu:
    """Returns the menu with another number of columns, rows or mines."""
    menu = replace(menu, **{_SIZES[name]: value})
    if _level_problem(menu):
        return menu
    level = Level(menu.rows, menu.cols, menu.mines)
    return replace(menu, draft=replace(menu.draft, level=level))


def _turned(menu: Menu, step: int) -> Menu:
    """Returns the menu with another option of the selected row."""
    draft, row = menu.draft, MENU_ROWS[menu.row]
    if row in _SIZES:
        least, most = (0, MAX_CELLS) if row == "Mines" else (1, MAX_SIDE)
        value = min(max(getattr(menu, _SIZES[row]) + step, least), most)
        return _with_size(menu, row, value)
    if row == "Seed":
        return replace(menu, draft=replace(draft, seed=(draft.seed + step) % 2**32))
    match row:
        case "Level":
            level = _after(list(LEVELS.values()), draft.level, step)
            return _with_draft(menu, replace(draft, level=level))
        case "Start":
            draft = replace(draft, start=_after(list(Start), draft.start, step))
        case "Guesses":
            draft = replace(draft, guesses=_after(list(Guesses), draft.guesses, step))
        case "Difficulty" if can_turn(menu, row):
            draft = replace(draft, hardness=_after(list(Hardness), draft.hardness, step))
        case "Player":
            draft = replace(draft, strategy=_after(list(PLAYERS), draft.strategy, step))
    return replace(menu, draft=draft)


def _after(options: Sequence[Option], now: Option, step: int) -> Option:
    """Returns the option that comes after another one, or before it; of a stranger, the first."""
    if now not in options:
        return options[0]
    return options[(options.index(now) + (1 if step > 0 else -1)) % len(options)]


def _typed(menu: Menu, key: Key) -> Menu:
    """Returns the menu after a key typed into a number or the name."""
    draft, row = menu.draft, MENU_ROWS[menu.row]
    if row in _SIZES:
        value = _number(getattr(menu, _SIZES[row]), key, MAX_CELLS)
        return _with_size(menu, row, value)
    if row == "Seed":
        draft = replace(draft, seed=_number(draft.seed, key, 2**32 - 1))
    elif row == "Name" and key.name == "backspace":
        draft = replace(draft, name=draft.name[:-1])
    elif row == "Name" and key.text.isprintable():
        draft = replace(draft, name=(draft.name + key.text)[:MAX_NAME_LENGTH])
    return replace(menu, draft=draft)


def _number(number: int, key: Key, most: int) -> int:
    """Returns a number after a key: a digit more, as far as it stays in range, or one less."""
    if key.name == "backspace":
        return number // 10
    if key.text.isdecimal() and key.text.isascii():
        longer = number * 10 + int(key.text)
        return longer if longer <= most else number
    return number


def apply(model: Model, menu: Menu) -> Model:
    """Starts what the mode is for with the new settings; replay mode becomes watch mode.

    While there is a problem, the menu stays.
    """
    if problem(menu):
        return model
    settings = replace(menu.draft, name=tidy_name(menu.draft.name))
    model = replace(model, settings=settings, zoom=1.0, pan=(0, 0))
    model = replace(model, menu=None, focus=None, shows_start=False)
    if model.mode is Mode.PLAY:
        return play.new_game(model)
    if model.mode is Mode.ANALYSE:
        return replace(model, editor=Editor.blank(settings.level), message="")
    return watch.new_game(replace(model, mode=Mode.WATCH))
