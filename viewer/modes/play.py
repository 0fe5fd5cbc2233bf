"""Play mode: a person's game with the mouse, hints, undo, and the leaderboard."""

from dataclasses import replace

from jaxsweep.rules.board import Cell, cells_of
from jaxsweep.rules.grid import HIDDEN
from jaxsweep.rules.level import LevelError, Opening
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.person import PersonGame
from viewer.analysis_result import AnalysisResult
from viewer.effects import DealBoard, EnterGame, ReadLeaderboard, StopDealing
from viewer.events import LEFT, MIDDLE, RIGHT, BoardDealt
from viewer.inspection import cell_name
from viewer.model import Mode, Model, Overlay, PlayState


def on_key(model: Model, name: str) -> Model:
    """Gives a hint, opens what is certain, takes a move back, or starts a new game."""
    match name:
        case "h":
            return _request_hint(model)
        case "a":
            return _toggle_certain(model)
        case "u":
            return _undo(model)
        case "r":
            return new_game(replace(model, settings=model.settings.next_seed()))
    return model


def on_click(model: Model, cell: Cell, button: int) -> Model:
    """Opens, flags or chords a cell, by the mouse button; nothing while a board is dealt."""
    game = model.play.game
    if model.play.dealing is not None:
        return model
    actions = {LEFT: game.open, MIDDLE: game.chord, RIGHT: game.flag}
    if button not in actions:
        return model
    try:
        if button == LEFT and _waits_for_a_board(game, cell):
            return _deal(model, cell)
        return _with_game(model, actions[button](cell))
    except LevelError as error:
        return replace(model, message=str(error))


def _waits_for_a_board(game: PersonGame, cell: Cell) -> bool:
    """Whether a click on this cell deals a board that has to be searched for."""
    session = game.session
    is_first = session.opening is None and not session.board.flags[cell]
    return is_first and not session.guesses.are_needed


def _deal(model: Model, cell: Cell) -> Model:
    """Asks for a board whose first cell is this one; raises `LevelError` where it cannot be."""
    session = model.play.game.session
    about = DealBoard(
        Opening(session.level, session.start, cell), session.seed, model.settings.hardness
    )
    model = replace(model, play=replace(model.play, dealing=about, tried=0))
    return replace(model, message=_dealing_in_words(0)).with_effect(about)


def _dealing_in_words(tried: int) -> str:
    return f"dealing … {f'{tried:,} boards tried; ' if tried else ''}Esc cancels"


def board_dealt(model: Model, event: BoardDealt) -> Model:
    """Opens the first cell of the board that was waited for, or shows how far dealing has come."""
    play, result = model.play, event.result
    if event.about != play.dealing:
        return model
    shows = model.mode is Mode.PLAY
    if not isinstance(result, str) and result.mines is None:
        words = _dealing_in_words(result.tried)
        return replace(
            model,
            play=replace(play, tried=result.tried),
            message=words if shows else model.message,
        )
    model = replace(model, play=replace(play, dealing=None), message="" if shows else model.message)
    if isinstance(result, str):
        return replace(model, message=result)
    assert result.mines is not None
    dealt = (result.mines, result.game)
    return _with_game(model, play.game.open(event.about.opening.first, dealt))


def stop_dealing(model: Model) -> Model:
    """Gives up the board that is being dealt, if there is one."""
    if model.play.dealing is None:
        return model
    model = replace(model, play=replace(model.play, dealing=None))
    return model.with_effect(StopDealing())


def on_chord(model: Model, cell: Cell) -> Model:
    """Chords a cell, with both mouse buttons."""
    return _with_game(model, model.play.game.chord(cell))


def new_game(model: Model) -> Model:
    """Starts a game by the settings; undo returns to the previous one, if it was not over."""
    model = stop_dealing(model)
    settings = model.settings
    game = model.play.game.new_game(settings.level, settings.start, settings.seed, settings.guesses)
    if model.overlays.get(Mode.PLAY, Overlay()).any:
        game = game.with_help()
    message = "" if game.left is None else "a new game; U takes you back"
    model = replace(model, play=PlayState(game), message=message)
    return read_leaderboard(model)


def read_leaderboard(model: Model) -> Model:
    """Asks for the leaderboard of the game's level."""
    session = model.play.game.session
    return model.with_effect(ReadLeaderboard(session.level, session.start))


def with_help(model: Model) -> Model:
    """Records that the person has had help: a hint, or the odds."""
    return replace(model, play=replace(model.play, game=model.play.game.with_help()))


def tick(model: Model, seconds: float) -> Model:
    """Advances the game's clock, in every mode: switching the mode does not stop it."""
    game = model.play.game.tick(seconds)
    return model if game is model.play.game else replace(model, play=replace(model.play, game=game))


def show_hint(model: Model, result: AnalysisResult) -> Model:
    """Shows the best cell of the board's analysis, and why it is the best."""
    best = None if result.analysis is None else result.analysis.best
    reason = result.error if result.analysis is None else result.analysis.reason
    if best is not None:
        reason = f"open {cell_name(best)}: {reason}"
    play = replace(model.play, hint=best, hint_requested=False)
    return replace(model, play=play, message=reason)


def open_certain(model: Model) -> Model:
    """Opens all cells that the engine has proved to be safe, if the person wants that."""
    result, game = model.result, model.play.game
    if not model.play.opens_certain or not game.is_under_way or result is None:
        return model
    if result.analysis is None:
        return replace(model, message=result.error)
    for cell in cells_of(result.analysis.safe & (model.grid == HIDDEN)):
        game = game.open(cell)
    if game is model.play.game:
        return replace(model, message="nothing is certainly safe: guess, or ask for a hint")
    return _with_game(model, game)


def _toggle_certain(model: Model) -> Model:
    """Starts or stops opening what is certain; it is help, and goes on from guess to guess."""
    play = model.play
    if play.opens_certain or not play.game.is_under_way:
        return replace(model, play=replace(play, opens_certain=False), message="")
    model = replace(model, play=replace(play, opens_certain=True), requested=None, message="")
    return open_certain(with_help(model))


def _request_hint(model: Model) -> Model:
    game = model.play.game
    if game.is_over:
        return model
    if not game.is_under_way:
        try:
            return replace(model, message=game.first_cell()[1])
        except LevelError as error:
            return replace(model, message=str(error))
    model = with_help(replace(model, play=replace(model.play, hint_requested=True)))
    if model.result is not None:
        return show_hint(model, model.result)
    # Requested anew, as an earlier request for this board may have failed.
    return replace(model, requested=None, message="thinking…")


def _undo(model: Model) -> Model:
    model = stop_dealing(model)
    game = model.play.game
    before = game.undo()
    if before is game:
        return model
    model = replace(model, play=PlayState(before), message="")
    if before is not game.left:
        return model
    session = before.session
    settings = replace(
        model.settings,
        level=session.level,
        start=session.start,
        seed=session.seed,
        guesses=session.guesses,
    )
    model = replace(model, settings=settings, zoom=1.0, pan=(0, 0))
    return read_leaderboard(replace(model, message="back in the game you left"))


def _with_game(model: Model, game: PersonGame) -> Model:
    """Shows the game after a move; if that ended it, enters it in the leaderboard once."""
    if game is model.play.game:
        return model
    play = replace(model.play, game=game, hint=None, hint_requested=False)
    model = replace(model, play=play, message="")
    if not game.is_over:
        return model
    lost = game.session.status is GameStatus.LOST
    model = replace(model, message=game.result + (" U takes it back" if lost else ""))
    if game.entered or not game.is_ranked:
        return model
    model = replace(model, play=replace(model.play, game=replace(game, entered=True)))
    return read_leaderboard(model.with_effect(EnterGame(model.settings.name, game)))
