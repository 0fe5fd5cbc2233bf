"""What the panel, or the line at the foot in its place, says of the game or position; as data."""

import enum
from dataclasses import dataclass

from jaxsweep.metrics.game import GameMetrics
from jaxsweep.rules.guesses import Guesses
from jaxsweep.rules.status import GameStatus
from jaxsweep.single.grading import Kind
from jaxsweep.single.grading.report import MISTAKE, sentence, totals
from jaxsweep.single.words import count, reason_and_risk, seed_in_words
from viewer.model import Mode, Model
from viewer.playback import Playback


class Tone(enum.Enum):
    """What kind of news a note is; it is also said in words."""

    NEWS = "news"
    GOOD = "good"
    GUESS = "guess"
    BAD = "bad"


@dataclass(frozen=True)
class Note:
    """A sentence about what happened last."""

    text: str
    tone: Tone = Tone.NEWS


HOW_TO_PLAY = (
    ("Click", "opens a cell"),
    ("Right click", "flags a mine"),
    ("Both, or middle", "opens around a number"),
    ("H", "shows the best cell"),
)
"""What is shown before the first cell is opened."""


def counters(model: Model) -> tuple[str, str]:
    """Returns the mines that are left, and the clock, of a person's game."""
    game = model.play.game
    is_won = game.session.status is GameStatus.WON
    minutes, seconds = divmod(int(game.seconds), 60)
    return f"{0 if is_won else game.session.mines_left}", f"{minutes}:{seconds:02}"


def title(model: Model) -> str:
    """Returns what the game or the position is, in a few words."""
    if model.mode is Mode.PLAY:
        mines, clock = counters(model)
        return f"{mines} mines left, {clock}"
    if model.mode is Mode.ANALYSE:
        return count(model.editor.mines, "mine")
    playback = model.playback
    if playback is None:
        return "No replay yet"
    end = {GameStatus.WON: ", won", GameStatus.LOST: ", lost"}.get(
        playback.boards[-1].status if playback.is_over else GameStatus.PLAYING, ""
    )
    return f"{playback.strategy}{end}"


def details(model: Model) -> list[str]:
    """Returns what else there is to know of it, in at most two lines."""
    playback = model.playback
    if model.mode is Mode.PLAY:
        game = model.play.game
        session = game.session
        mode = "" if session.guesses is Guesses.AS_DEALT else f", {session.guesses.text}"
        about = f"{session.level}, {session.start.value} start{mode}, seed {session.seed}"
        return [about + (", with help" if game.helped else "")]
    if model.mode is Mode.ANALYSE:
        rows, cols = model.editor.grid.shape
        hidden = int((model.grid < 0).sum())
        size = f"{count(rows, 'row')}, {count(cols, 'column')}, {hidden} hidden"
        return [size, "Click cells, or choose a value below."]
    if playback is None:
        return ["Drop a file on the window, or open one."]
    lines = [
        f"{playback.opening.level}, {playback.opening.start.value} start"
        + seed_in_words(playback.seed)
    ]
    if not playback.moves and not playback.complete:
        return [*lines, "The player starts …"]
    more = "" if playback.complete else " …"
    return [*lines, f"Move {playback.at} of {len(playback.moves)}{more}{_chance(playback)}"]


def _chance(playback: Playback) -> str:
    """Returns the chance to win now, or that of having come so far, where it is known."""
    if playback.chances:
        return f", chance to win {playback.chances[playback.at]:.1%}"
    return "" if playback.survival is None else f", survived so far {playback.survival:.1%}"


def note(model: Model) -> Note | None:
    """Returns the latest message, or else why the move that is shown was made."""
    if model.message:
        tone = Tone.NEWS
        if model.mode is Mode.PLAY and model.play.game.is_over:
            won = model.play.game.session.status is GameStatus.WON
            tone = Tone.GOOD if won else Tone.BAD
        return Note(capitalised(model.message), tone)
    if model.playback is not None and model.playback.last is not None:
        return _about_move(model.playback)
    return None


def _about_move(playback: Playback) -> Note:
    """Says why the last move was made, or what it did to the chance to win."""
    assert playback.last is not None
    graded, number = playback.graded.get(playback.at), playback.at - 1
    if graded is not None and graded.kind is not Kind.CERTAIN:
        return Note(sentence(graded), Tone.BAD if graded.loss >= MISTAKE else Tone.GUESS)
    text = reason_and_risk(playback.last.reason.text, playback.risk(number))
    return Note(capitalised(text), Tone.GUESS if playback.is_guess(number) else Tone.GOOD)


def is_summed_up(model: Model) -> bool:
    """Whether the end of a graded game is shown."""
    playback = model.playback
    return playback is not None and playback.is_over and playback.grade is not None


def summary(model: Model) -> Note | None:
    """Returns what the engine says of the position; at the end of a graded game, its sum."""
    playback, result = model.playback, model.result
    if is_summed_up(model) and playback is not None and playback.grade is not None:
        return Note(" ".join(totals(playback.grade)))
    if result is None:
        return Note("Thinking …")
    if result.analysis is None:
        return Note(capitalised(result.error), Tone.BAD)
    return Note(capitalised(result.analysis.reason))


def facts(metrics: GameMetrics) -> list[tuple[str, str]]:
    """Returns what players count of a game that is over, with its name."""
    solved = "" if metrics.solved == metrics.bbbv else f"{metrics.solved} of "
    found = [("3BV", f"{solved}{metrics.bbbv}")]
    clicks = f"{metrics.clicks}"
    if metrics.right or metrics.chords:
        clicks += f": {metrics.left} left, {metrics.right} right, {count(metrics.chords, 'chord')}"
    found.append(("Clicks", clicks))
    if metrics.efficiency is not None:
        found.append(("Efficiency", f"{metrics.efficiency:.2f}"))
    if metrics.bbbv_per_second is not None:
        found.append(("3BV/s", f"{metrics.bbbv_per_second:.2f}"))
    return [*found, ("ZiNi", f"{metrics.zini}")]


def capitalised(text: str) -> str:
    """Begins a sentence with a capital letter, unless it begins with the name of a file."""
    return text if "." in text.split(" ", 1)[0] else text[:1].upper() + text[1:]
