"""The bar on top and the buttons of each mode."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from jaxsweep.rules.grid import FLAGGED, HIDDEN
from viewer.buttons import Button, PlacedButton, key_button, place_groups
from viewer.events import Key
from viewer.keys import MODE_KEYS
from viewer.model import Mode, Model

_MODE_ICONS = {
    Mode.REPLAY: ("play", "step through a game"),
    Mode.WATCH: ("eye", "watch a player"),
    Mode.PLAY: ("flag", "play yourself"),
    Mode.ANALYSE: ("lens", "edit a position and see its odds"),
}

BRUSHES = (None, HIDDEN, FLAGGED, *range(9))
"""What clicks in analyse mode can set a cell to; None: its next value."""


Groups = Sequence[Sequence[Button]]


def bar_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Places the buttons on top."""
    return place_groups(_bar_groups(model), model.layout.bar, model.scale, _more(model, "bar"))


def tool_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Places the buttons of the mode."""
    rect = model.layout.toolbar
    return place_groups(_tool_groups(model), rect, model.scale, _more(model, "tools"))


def brush_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Places the brushes of analyse mode at the foot of the window's left part."""
    strip = model.layout.brushes
    if model.mode is not Mode.ANALYSE or strip is None:
        return ()
    return place_groups(_brush_groups(model), strip, model.scale, _more(model, "brushes"))


def more_name(row: str) -> str:
    """Returns the name of the button that opens the rest of a row."""
    return f"more {row}"


def _more(model: Model, row: str) -> Button:
    def press(model: Model) -> Model:
        return replace(model, more=None if model.more == row else row)

    return Button(more_name(row), "…", press, tip="More buttons", chosen=model.more == row)


def _bar_groups(model: Model) -> Groups:
    """Returns the buttons on top: start screen, modes, and on the right what holds everywhere."""
    modes = [
        key_button(
            Key(key), key.upper(), mode.value, icon, tip.capitalize(), chosen=mode is model.mode
        )
        for key, mode in MODE_KEYS.items()
        for icon, tip in [_MODE_ICONS[mode]]
    ]
    home = key_button(Key("f6"), "F6", "", "logo", "The start screen")
    has_room = not model.shows_panel or model.layout.status is None
    others = [
        key_button(Key("n"), "N", "New …", "sliders", "Choose size, mode, player, seed …"),
        key_button(
            Key("b"), "B", "Panel", "panel",
            "Show the panel, or a larger board" if has_room else "There is no room for the panel",
            enabled=has_room, chosen=model.shows_panel and has_room, small=True,
        ),
        *screen_buttons(model),
    ]  # fmt: skip
    return [home], modes, others


def screen_buttons(model: Model) -> list[Button]:
    """Returns the buttons that the start screen has too."""
    dark = model.dark
    return [
        key_button(
            Key("t"), "T", "Light" if dark else "Dark", "sun" if dark else "moon",
            "Light or dark", small=True,
        ),
        key_button(Key("f1"), "F1", "Keys", "question", "All keys", small=True),
    ]  # fmt: skip


def _tool_groups(model: Model) -> Groups:
    """Returns the buttons of the mode, and on the right those of the overlay."""
    groups = {
        Mode.REPLAY: _replay_groups,
        Mode.WATCH: _watch_groups,
        Mode.PLAY: _play_groups,
        Mode.ANALYSE: _analyse_groups,
    }[model.mode](model)
    return [*groups, _overlay_group(model)]


def _brush_groups(model: Model) -> Groups:
    """Returns the brushes of analyse mode, and what changes the number of mines."""
    mines, most = model.editor.mines, model.editor.grid.size
    counts = [
        key_button(Key("-", "-"), "−", "Mine", "minus", "One mine fewer", enabled=mines > 0),
        key_button(Key("+", "+"), "+", "Mine", "plus", "One mine more", enabled=mines < most),
    ]
    return [_brush(model, b) for b in BRUSHES], counts


def _brush(model: Model, brush: int | None) -> Button:
    def press(model: Model) -> Model:
        return replace(model, editor=replace(model.editor, brush=brush))

    name, label, icon, tip = {
        None: ("next", "Next value", "pointer", "Clicks set a cell to its next value"),
        HIDDEN: ("hidden", "Hidden", "hidden", "Clicks cover a cell"),
        FLAGGED: ("flag", "", "flag", "Clicks set a flag"),
    }.get(brush, (str(brush), str(brush), "", f"Clicks make a cell show {brush}"))
    key = {None: "", HIDDEN: "H", FLAGGED: "F"}.get(brush, str(brush))
    chosen = model.editor.brush == brush
    return Button(f"brush {name}", label, press, icon, tip, key, chosen=chosen)


def _overlay_group(model: Model) -> list[Button]:
    overlay, shown = model.overlay, model.shows_board
    return [
        key_button(Key(key), key.upper(), label, icon, tip, enabled=shown, chosen=chosen)
        for key, label, icon, tip, chosen in (
            ("o", "Odds", "chance", "The darker a cell, the likelier a mine", overlay.odds),
            ("p", "Percent", "percent", "The risk of each cell in percent", overlay.percent),
            ("m", "Marks", "marks", "What is certain, and the best cell", overlay.marks),
            ("e", "Groups", "outlines", "Components, and tile sets in them", overlay.outlines),
        )
    ]


def _file_group(model: Model, has_game: bool) -> list[Button]:
    return [
        key_button(
            Key("o", control=True), "Ctrl O", "Open", "folder", "Open a replay or a position",
            primary=model.mode is Mode.REPLAY and not has_game,
            small=model.mode is not Mode.REPLAY,
        ),
        key_button(
            Key("s", control=True), "Ctrl S", "Save", "save", "Save the game as a replay",
            enabled=has_game, small=True,
        ),
        *_position_group(model),
    ]  # fmt: skip


def _position_group(model: Model) -> list[Button]:
    return [
        key_button(
            Key("c", control=True), "Ctrl C", "Copy", "copy", "Copy the position as text",
            enabled=model.shows_board, small=model.mode is not Mode.ANALYSE,
        ),
        key_button(
            Key("v", control=True), "Ctrl V", "Paste", "paste", "Paste a position and analyse it",
            small=model.mode is not Mode.ANALYSE,
        ),
    ]  # fmt: skip


def _look_button(model: Model) -> Button:
    return key_button(
        Key("l"), "L", "Analyse", "lens", "Take this position to analyse mode",
        enabled=model.shows_board, small=True,
    )  # fmt: skip


def _play_groups(model: Model) -> Groups:
    play = model.play
    game = play.game
    can_undo = game.session.before is not None or game.left is not None
    cancel = key_button(
        Key("escape"), "Esc", "Cancel", "close", "Deal no such board", primary=True
    )  # fmt: skip
    return (
        [
            *([] if play.dealing is None else [cancel]),
            key_button(
                Key("r"), "R", "New game", "again", "Another game of this level",
                primary=game.is_over,
            ),
            key_button(Key("u"), "U", "Undo", "undo", "Take the last move back", enabled=can_undo),
        ],
        _help_group(model),
        [*_file_group(model, game.session.opening is not None), _look_button(model)],
    )  # fmt: skip


def _help_group(model: Model) -> list[Button]:
    """Returns what helps in a game under way, and what helps after its end."""
    play, game = model.play, model.play.game
    if game.is_over and game.session.opening is not None:
        tip = "Step through this game, and see what moves lost"
        return [key_button(Key("v"), "V", "Review", "play", tip)]
    can_open = game.is_under_way or play.opens_certain
    return [
        key_button(
            Key("h"), "H", "Hint", "bulb", "The best cell, and why", enabled=not game.is_over
        ),
        key_button(
            Key("a"), "A", "Auto", "certain", "Open all cells that are certainly safe",
            enabled=can_open, chosen=play.opens_certain,
        ),
    ]  # fmt: skip


def _step_group(model: Model) -> list[Button]:
    playback = model.playback
    last = 0 if playback is None else len(playback.moves)
    at = 0 if playback is None else playback.at
    running = playback is not None and playback.running
    rows = (
        ("home", "Home", "first", "To the beginning", at > 0),
        ("left", "Left", "back", "A move back; ten with Shift", at > 0),
        ("space", "Space", "pause" if running else "play", "Pause" if running else "Run", last > 0),
        ("right", "Right", "forward", "A move on; ten with Shift", at < last),
        ("end", "End", "last", "To the end", at < last),
        ("g", "G", "die", "To the next guess", at < last),
        ("down", "Down", "minus", "Slower", playback is not None and playback.speed > 0),
        ("up", "Up", "plus", "Faster", playback is not None and not playback.is_fastest),
    )
    return [
        key_button(
            Key(key), shown, "", icon, tip, enabled=enabled, primary=key == "space" and last > 0
        )
        for key, shown, icon, tip, enabled in rows
    ]


def _replay_groups(model: Model) -> Groups:
    has_game = model.replay is not None
    return [*_file_group(model, has_game), _look_button(model)], _step_group(model)


def _watch_groups(model: Model) -> Groups:
    has_moves = model.watched is not None and bool(model.watched.moves)
    again = key_button(Key("r"), "R", "Next game", "again", "Watch another game")
    return (
        [again],
        _step_group(model),
        [*_file_group(model, has_moves), _look_button(model)],
    )


def _analyse_groups(model: Model) -> Groups:
    clear = key_button(
        Key("delete"), "Delete", "Clear", "close", "Cover all cells",
        enabled=bool((model.editor.grid != HIDDEN).any()),
    )  # fmt: skip
    return [clear], [*_file_group(model, False)[:1], *_position_group(model)]


ROWS: dict[str, tuple[Callable[[Model], Groups], Callable[[Model], tuple[PlacedButton, ...]]]] = {
    "bar": (_bar_groups, bar_buttons),
    "tools": (_tool_groups, tool_buttons),
    "brushes": (_brush_groups, brush_buttons),
}
"""The rows of buttons by name: what they hold, and what is placed of it."""
