"""The menu: level, start rule, boards without a guess, player, seed and name."""

from dataclasses import replace

from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.level import LEVELS, Start
from jaxsweep.scalar.players import PLAYERS
from jaxsweep.single import leaderboard
from jaxsweep.single.leaderboard import MAX_NAME_LENGTH, tidy_name
from viewer.events import Key
from viewer.model import Editor, Menu, Mode, Model, Settings
from viewer.modes import play, watch

MENU_ROWS = ("Level", "Start", "Guesses", "Player", "Seed", "Name")


def on_key(model: Model, menu: Menu, key: Key) -> Model:
    """Selects a row, changes its setting, applies the settings, or closes the menu."""
    match key.name:
        case "escape" | "f1":
            return replace(model, menu=None, focus=None)
        case "up" | "down":
            step = -1 if key.name == "up" else 1
            row = (menu.row + step) % len(MENU_ROWS)
            return replace(model, menu=replace(menu, row=row))
        case "left" | "right":
            step = -1 if key.name == "left" else 1
            return turn(model, menu, menu.row, step)
        case "return":
            return apply(model, menu.draft)
    return replace(model, menu=replace(menu, draft=_typed(menu, key)))


def turn(model: Model, menu: Menu, row: int, step: int) -> Model:
    """Selects a row and takes its next option, or with -1 the one before."""
    menu = replace(menu, row=row)
    return replace(model, menu=replace(menu, draft=_next_option(menu, step)))


def menu_values(menu: Menu) -> tuple[str, ...]:
    """Returns the settings as they are written in the rows."""
    draft = menu.draft
    named = leaderboard.level_name(draft.level)
    level = f"{named}, {draft.level}" if named in LEVELS else str(draft.level)
    return (
        level,
        draft.start.value,
        draft.guesses.value,
        draft.strategy,
        str(draft.seed),
        draft.name,
    )


def _next_option(menu: Menu, step: int) -> Settings:
    """Returns the settings with the next option of the selected row, or with -1 the one before."""
    draft = menu.draft

    def after(options: list, now) -> object:
        return options[(options.index(now) + step) % len(options)] if now in options else options[0]

    match MENU_ROWS[menu.row]:
        case "Level":
            return replace(draft, level=after(list(LEVELS.values()), draft.level))
        case "Start":
            return replace(draft, start=after(list(Start), draft.start))
        case "Guesses":
            return replace(draft, guesses=after(list(Guesses), draft.guesses))
        case "Player":
            return replace(draft, strategy=after(list(PLAYERS), draft.strategy))
        case "Seed":
            return replace(draft, seed=(draft.seed + step) % 2**32)
    return draft


def _typed(menu: Menu, key: Key) -> Settings:
    """Returns the settings after a key typed into the seed or the name."""
    draft, row = menu.draft, MENU_ROWS[menu.row]
    if row == "Seed":
        if key.name == "backspace":
            return replace(draft, seed=draft.seed // 10)
        if key.text.isdecimal() and key.text.isascii():
            seed = draft.seed * 10 + int(key.text)
            return replace(draft, seed=seed) if seed < 2**32 else draft
    if row == "Name":
        if key.name == "backspace":
            return replace(draft, name=draft.name[:-1])
        if key.text.isprintable():
            return replace(draft, name=(draft.name + key.text)[:MAX_NAME_LENGTH])
    return draft


def apply(model: Model, settings: Settings) -> Model:
    """Starts what the mode is for with the new settings; replay mode becomes watch mode."""
    settings = replace(settings, name=tidy_name(settings.name))
    model = replace(model, settings=settings, zoom=1.0, pan=(0, 0))
    model = replace(model, menu=None, focus=None, shows_start=False)
    if model.mode is Mode.PLAY:
        return play.new_game(model)
    if model.mode is Mode.ANALYSE:
        return replace(model, editor=Editor.blank(settings.level), message="")
    return watch.new_game(replace(model, mode=Mode.WATCH))
