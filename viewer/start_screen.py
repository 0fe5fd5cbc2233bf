"""The start screen: what one can do here, each with one click."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from jaxsweep.rules.level import LEVELS, Level, Start
from jaxsweep.single.leaderboard import level_name
from viewer.buttons import HEIGHT, Button, PlacedButton, button_width
from viewer.effects import Paste
from viewer.layout import Rect
from viewer.model import Editor, Menu, Mode, Model
from viewer.modes import play, watch
from viewer.modes.switch import switch_mode
from viewer.picker import open_picker
from viewer.toolbars import screen_buttons

WIDTH, CARD, HEAD, GAP = 860, 176, 150, 16
"""Sizes at scale 1: of the whole, of a card, of the title, and between cards."""

LOW = 470
"""The height below which there is no title, and cards stand side by side at any width."""

HEADING = 40
"""The height of a card's name; of the rest, its text takes what its buttons leave."""


@dataclass(frozen=True)
class Card:
    """One thing to do: a click on the card does it, its buttons do it in other ways."""

    card: PlacedButton
    text: tuple[str, ...]
    """Sentences, of which as many are shown as there is room for."""
    options: tuple[PlacedButton, ...]


def start_cards(model: Model) -> tuple[Card, ...]:
    """Places the cards in two columns, or in one where the window is narrow."""
    px, (width, height) = model.layout.px, model.size
    low = height < px(LOW)
    columns = 2 if low or width >= px(560) else 1
    head = px(GAP if low else HEAD)
    whole = min(px(WIDTH), max(width - 2 * px(GAP), 1))
    cards = _contents(model)
    rows = -(-len(cards) // columns)
    room = height - head - (rows + 1) * px(GAP)
    high = min(max(room // rows, px(HEIGHT + 14)), px(CARD))
    top = max((height - head - rows * (high + px(GAP))) // 2, 0) + head
    wide = (whole - (columns - 1) * px(GAP)) // columns
    placed = []
    for i, (button, text, options) in enumerate(cards):
        place = Rect(
            (width - whole) // 2 + (i % columns) * (wide + px(GAP)),
            top + (i // columns) * (high + px(GAP)),
            wide,
            high,
        )
        placed.append(Card(PlacedButton(button, place, True), text, _place(model, place, options)))
    return tuple(placed)


def start_title(model: Model) -> Rect:
    """Returns the place of the title, above the cards."""
    first = start_cards(model)[0].card.rect
    px = model.layout.px
    height = px(HEAD - 2 * GAP)
    return Rect(first.left, max(first.top - px(GAP) - height, 0), model.size[0], height)


def start_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Returns all buttons of the start screen; those on a card before the card itself."""
    cards = start_cards(model)
    options = (option for card in cards for option in card.options)
    return (*corner_buttons(model), *options, *(card.card for card in cards))


def corner_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Places what the bar on top has at its right end, where there is room above the cards."""
    layout = model.layout
    if start_cards(model)[0].card.rect.top < layout.bar.bottom:
        return ()
    px, bar, buttons = layout.px, layout.bar, screen_buttons(model)
    side, step = px(HEIGHT), px(HEIGHT) + px(GAP) // 4
    left, top = bar.right - len(buttons) * step - px(GAP) // 4, (bar.height - side) // 2
    return tuple(
        PlacedButton(button, Rect(left + i * step, top, side, side), False)
        for i, button in enumerate(buttons)
    )


def _contents(model: Model) -> list[tuple[Button, tuple[str, ...], list[Button]]]:
    start = model.settings.start
    level, rule = model.recent or (model.settings.level, start)
    play_options = [
        Button(f"play {name}", name.capitalize(), partial(_play, LEVELS[name], start))
        for name in ("beginner", "intermediate", "expert")
    ]
    play_options.append(Button("play more", "More …", _open_menu, tip="Sizes, modes, difficulty"))
    known = level_name(level)
    if known not in ("beginner", "intermediate", "expert"):
        play_options.append(Button("play recent", str(level), partial(_play, level, rule)))
    watch_options = [
        Button(f"watch {name}", name.capitalize(), partial(_watch, LEVELS[name]))
        for name in ("intermediate", "expert")
    ]
    analyse_options = [
        Button("analyse expert", "Empty expert board", partial(_analyse, LEVELS["expert"])),
        Button("analyse paste", "Paste a position", _paste),
    ]
    play_text = ("Hints, undo and odds if you want them.",)
    if model.recent is not None:
        play_text += (f"Last time: {known}.",)
    return [
        (
            _card("play", "Play", "flag", partial(_play, level, rule)),
            play_text,
            play_options,
        ),
        (
            _card("watch", "Watch", "eye", partial(_watch, LEVELS["expert"])),
            ("See a player think.", "What is certain, and what it weighs before a guess."),
            watch_options,
        ),
        (
            _card("analyse", "Analyse", "lens", partial(_analyse, level)),
            ("Draw or paste any position.", "Exact odds, the best cell, and why."),
            analyse_options,
        ),
        (
            _card("open", "Open a replay", "folder", open_picker),
            ("Step through a recorded game.", "Or drop its file on this window."),
            [Button("open file", "Choose a file …", open_picker)],
        ),
    ]


def _card(name: str, label: str, icon: str, press: Callable[[Model], Model]) -> Button:
    return Button(f"card {name}", label, press, icon)


def _place(model: Model, card: Rect, options: list[Button]) -> tuple[PlacedButton, ...]:
    """Places the buttons of a card in lines at its foot, as many as there is room for."""
    px = model.layout.px
    line, room = px(HEIGHT + 6), card.height - px(HEADING + GAP)
    inside = card.width - 2 * px(GAP)
    lines: list[list[PlacedButton]] = []
    for option in options:
        width = min(button_width(option, True, model.scale), inside)
        # The first line with room for it: what is short goes beside what was placed before.
        for own in lines:
            left = own[-1].rect.right + px(6)
            if left + width <= card.left + px(GAP) + inside:
                break
        else:
            lines.append(own := [])
            left = card.left + px(GAP)
        own.append(PlacedButton(option, Rect(left, 0, width, px(HEIGHT)), True))
    lines = lines[: max(room // line, 0)]
    top = card.bottom - px(GAP) + px(6) - len(lines) * line
    return tuple(
        replace(each, rect=replace(each.rect, top=top + i * line))
        for i, own in enumerate(lines)
        for each in own
    )


def _play(level: Level, start: Start, model: Model) -> Model:
    session = model.play.game.session
    settings = replace(model.settings, level=level, start=start)
    model = switch_mode(replace(model, settings=settings), Mode.PLAY)
    if (session.level, session.start, len(session.moves)) == (level, start, 0):
        return model
    return play.new_game(model)


def _open_menu(model: Model) -> Model:
    """Opens the menu over the start screen, for a person's game."""
    return replace(model, mode=Mode.PLAY, menu=Menu.of(model.settings), focus=None)


def _watch(level: Level, model: Model) -> Model:
    model = switch_mode(replace(model, settings=replace(model.settings, level=level)), Mode.PLAY)
    return watch.new_game(replace(model, mode=Mode.WATCH))


def _analyse(level: Level, model: Model) -> Model:
    return switch_mode(replace(model, editor=Editor.blank(level)), Mode.ANALYSE)


def _paste(model: Model) -> Model:
    return model.with_effect(Paste())
