"""At the end of a graded game: the moves that mattered, each a button that goes there."""

from dataclasses import replace
from functools import partial

from jaxsweep.single.grading import GradedMove
from jaxsweep.single.grading.report import MISTAKE, matters, place
from viewer.buttons import Button, PlacedButton
from viewer.model import Mode, Model
from viewer.panel_layout import panel_places
from viewer.panel_text import is_summed_up


def turning_points(model: Model) -> list[GradedMove]:
    """Returns the moves that lost or gave most, in their order; as many as have room."""
    playback, layout = model.playback, model.layout
    if layout.status is not None or playback is None or playback.grade is None:
        return []
    if not is_summed_up(model) or not model.is_advised:
        return []
    moves = sorted(
        filter(matters, playback.grade.moves),
        key=lambda move: -max(move.loss, abs(move.luck)),
    )
    return sorted(moves[: len(panel_places(layout).rows)], key=lambda move: move.index)


def turning_buttons(model: Model) -> tuple[PlacedButton, ...]:
    """Places a button for each of them where candidates are listed otherwise."""
    places = panel_places(model.layout).rows
    return tuple(
        PlacedButton(
            Button(
                f"move {move.index}",
                f"Move {move.index}, {place(move)}",
                partial(_go, move.index),
                tip="Go there",
            ),
            rect,
            True,
        )
        for move, rect in zip(turning_points(model), places, strict=False)
    )


def effect(move: GradedMove) -> str:
    """Returns what a move did to the chance to win."""
    is_loss = move.loss >= MISTAKE and move.loss >= abs(move.luck)
    return f"lost {move.loss:.1%}" if is_loss else f"luck {move.luck:+.1%}"


def _go(number: int, model: Model) -> Model:
    """Shows the board after a move."""
    playback = model.playback
    if playback is None:
        return model
    moved = replace(playback.go(number), running=False)
    return replace(model, **{"replay" if model.mode is Mode.REPLAY else "watched": moved})
