"""The results of games, and why they were lost."""

import enum
from collections.abc import Sequence

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Bool, Float, Int, Integer, UInt8

from jaxsweep.beliefs import Status
from jaxsweep.engines.base import AbstractEngine
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.simulation import episode
from jaxsweep.simulation.device_state import FinishedEpisodes
from jaxsweep.simulation.episode import Episode, OpeningArrays
from jaxsweep.strategies.least_risk import TIE

COMPARED = 256
"""Lost games whose last positions are built at once, so that their kernel compiles once."""


class Loss(enum.IntEnum):
    """Why a game was lost."""

    NONE = 0
    """It was won."""
    LEAST_RISK = 1
    """The guess had the least risk of all cells."""
    NOT_BEST = 2
    """Another cell had less risk than the guess."""
    WRONG_CERTAINTY = 3
    """The player had claimed that the cell is safe."""
    NOT_COMPARED = 4
    """The guess was not compared with exact probabilities, or the exact engine cannot."""


class Record(eqx.Module):
    """The results of games, one entry per game.

    `runs.checksum` depends on the order of the fields.
    """

    game_number: Integer[np.ndarray, " games"]
    won: Bool[np.ndarray, " games"]
    clicks: Int[np.ndarray, " games"]
    """Cells that the player chose to open, with the first; cells of a flood fill do not count."""
    guesses: Int[np.ndarray, " games"]
    """Moves that were not certain to be safe, without the first cell."""
    rounds: Int[np.ndarray, " games"]
    """Moves after the first cell; one move may open many cells."""
    opened: Int[np.ndarray, " games"]
    """Safe cells open at the end."""
    unknown_risks: Int[np.ndarray, " games"]
    """Guesses whose risk the player did not know."""
    wrong_certainties: Int[np.ndarray, " games"]
    """Moves that the player claimed to be safe, and that hit a mine: none if it is sound."""
    negative_log_survival: Float[np.ndarray, " games"]
    """The negative log-probability to survive all guesses whose risk was known."""
    first_risk: Float[np.ndarray, " games"]
    """The risk of the first guess; −1 if there was none or it was not known."""
    loss: UInt8[np.ndarray, " games"]
    """A `Loss`."""

    def __len__(self) -> int:
        return len(self.game_number)

    def ordered(self) -> "Record":
        """Sorts the games by number."""
        order = np.argsort(self.game_number, kind="stable")
        return jax.tree.map(lambda leaf: leaf[order], self)


def merge(records: Sequence[Record]) -> Record:
    """Concatenates records."""
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *records)


def record_of(
    opening: Opening, finished: FinishedEpisodes, engine: AbstractEngine | None
) -> Record:
    """Returns the results of finished games; an exact `engine` compares all guesses that lost."""
    names = (
        "game_number",
        "clicks",
        "guesses",
        "rounds",
        "unknown_risks",
        "wrong_certainties",
        "first_risk",
    )
    return Record(
        won=np.asarray(finished.won),
        opened=np.asarray(finished.opened),
        negative_log_survival=-np.asarray(finished.episode.log_survival),
        loss=_losses(opening, finished, engine),
        **{name: np.asarray(getattr(finished.episode, name)) for name in names},
    )


def _losses(
    opening: Opening, finished: FinishedEpisodes, engine: AbstractEngine | None
) -> UInt8[np.ndarray, " games"]:
    """Classifies the losses; with an `engine`, guesses that nobody compared yet are compared."""
    last, won = finished.episode, finished.won
    loss = np.where(last.known_least_risk, Loss.LEAST_RISK, Loss.NOT_COMPARED)
    loss = np.where(last.wrong_certainties > 0, Loss.WRONG_CERTAINTY, loss)
    loss = np.where(won, Loss.NONE, loss)
    if engine is None:
        return loss.astype(np.uint8)
    left, arrays = np.nonzero(loss == Loss.NOT_COMPARED)[0], OpeningArrays.of(opening)
    for start in range(0, len(left), COMPARED):
        own = left[start : start + COMPARED]
        lost = jax.tree.map(lambda leaf, own=own: leaf[..., own], last)
        loss[own] = _compare_guesses(engine, arrays, lost)
    return loss.astype(np.uint8)


def _compare_guesses(
    engine: AbstractEngine, opening: OpeningArrays, lost: Episode
) -> Int[np.ndarray, " games"]:
    """Compares the guess that lost each game with the exact probabilities of all cells."""
    hit = bitboard.unpack_batch(np.asarray(lost.opened & lost.mines))
    # A guess that hit a mine opened nothing else: without it, this is what the player saw.
    before = eqx.tree_at(lambda x: x.opened, lost, lost.opened & ~lost.mines)
    count = len(hit)
    which = np.minimum(np.arange(COMPARED), count - 1)
    padded = jax.tree.map(lambda leaf: leaf[..., which], before)
    seen = jax.device_get(_views(opening, padded))
    positions = jax.tree.map(lambda leaf: leaf[..., :count], seen)
    beliefs = engine.infer(positions, np.zeros(count, np.uint32))
    hidden = bitboard.unpack_batch(positions.hidden)
    probability = np.where(hidden, np.asarray(beliefs.mine_probability), np.inf)
    risk = np.where(hit, probability, 0.0).max((1, 2))
    best = np.where(risk <= probability.min((1, 2)) + TIE, Loss.LEAST_RISK, Loss.NOT_BEST)
    return np.where(np.asarray(beliefs.status) == Status.EXACT, best, Loss.NOT_COMPARED)


@jax.jit
def _views(opening: OpeningArrays, episodes: Episode) -> Position:
    """Returns what the players see."""
    return episode.view(opening.broadcast(COMPARED), episodes)
