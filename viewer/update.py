"""`update(model, event) -> model`: the window's whole behaviour as a pure function."""

from dataclasses import replace

from jaxsweep.single.person import PersonGame
from viewer import effects, events, focus, picker
from viewer.analysis_result import AnalysisResult, position_key
from viewer.events import Event, Point
from viewer.files import open_file, open_text
from viewer.inspection import inspected_cell
from viewer.model import Editor, Mode, Model, Overlay, PlayState, Settings
from viewer.modes import play, replay, watch
from viewer.modes.switch import switch_mode
from viewer.mouse import on_motion, on_press, on_release, on_rest, on_wheel


def start(settings: Settings, mode: Mode = Mode.PLAY, size: Point = (1280, 800)) -> Model:
    """Returns the model of a window that has just opened."""
    level = settings.level
    both = Overlay(odds=True, marks=True)
    model = Model(
        settings=settings,
        play=PlayState(PersonGame.new(level, settings.start, settings.seed, settings.guesses)),
        editor=Editor.blank(level),
        size=size,
        overlays={Mode.REPLAY: both, Mode.WATCH: both, Mode.ANALYSE: replace(both, percent=True)},
    )
    return _request_analysis(switch_mode(model, mode))


def update(model: Model, event: Event) -> Model:
    """Returns the model after an event; its `effects` are for the loop to carry out."""
    match event:
        case events.Key():
            model = focus.on_key(model, event)
        case events.Press():
            model = on_press(model, event)
        case events.Release():
            model = on_release(model, event)
        case events.Motion():
            model = on_motion(model, event.at)
        case events.Wheel():
            model = on_wheel(model, event.steps, event.at)
        case events.Resize():
            model = replace(model, size=event.size)
        case events.Tick():
            model = replay.tick(play.tick(model, event.seconds), event.seconds)
            model = on_rest(model, event.seconds)
        case events.Dropped():
            model = open_file(model, event)
        case events.Pasted():
            model = open_text(model, event.text, "the clipboard")
        case events.AnalysisReady():
            model = _analysis_ready(model, event.result)
        case events.NumbersCounted():
            model = replace(model, latest_numbers=event.result)
        case events.MovePlayed():
            model = watch.move_played(model, event)
        case events.Graded():
            model = replay.graded(model, event)
        case events.BoardDealt():
            model = play.board_dealt(model, event)
        case events.Notice():
            model = replace(model, message=event.message)
        case events.EngineFailed():
            model = _engine_failed(model, event.message)
        case events.LeaderboardRead():
            model = replace(model, leaderboard=event.lines)
        case events.FolderListed():
            model = picker.folder_listed(model, event)
    return _request_numbers(_request_analysis(model))


def _request_analysis(model: Model) -> Model:
    """Requests the analysis of a new board, if an overlay or a hint needs it."""
    play = model.mode is Mode.PLAY and (model.play.hint_requested or model.play.opens_certain)
    if not model.is_advised and not play:
        return model
    if model.key == model.requested:
        return model
    model = replace(model, requested=model.key)
    return model.with_effect(effects.Analyse(model.grid, model.mines))


def _request_numbers(model: Model) -> Model:
    """Asks what the cell that is looked at would show, once the board is analysed."""
    result = model.result
    if result is None or result.analysis is None or not result.analysis.has_odds:
        return model
    cell = inspected_cell(model)
    if cell is None or (model.key, cell) == model.numbers_requested:
        return model
    model = replace(model, numbers_requested=(model.key, cell))
    return model.with_effect(effects.CountNumbers(model.grid, model.mines, cell))


def _analysis_ready(model: Model, result: AnalysisResult) -> Model:
    model = replace(model, latest_result=result)
    if model.mode is Mode.PLAY and model.play.hint_requested and model.result is not None:
        model = play.show_hint(model, result)
    return play.open_certain(model) if model.mode is Mode.PLAY else model


def _engine_failed(model: Model, message: str) -> Model:
    """Shows the error, and stops waiting for results that will not arrive."""
    watched = model.watched
    if watched is not None and not watched.complete:
        watched = replace(watched, complete=True, running=False)
    result = AnalysisResult(position_key(model.grid, model.mines), None, None, message)
    return replace(
        model,
        message=message,
        watched=watched,
        latest_result=result,
        play=replace(model.play, hint_requested=False, opens_certain=False, dealing=None),
    )
