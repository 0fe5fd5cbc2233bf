"""The weights of the win-probability model in `scalar/win_probability.py`, fitted to games.

    python experiments/win_probability.py [--quick]

Plays games of several levels with the player that looks ahead, records the features of every guess,
and fits the probability that the game is won by logistic regression. A fifth of the games is held
out to check the calibration. Writes `results/win-probability.json`.
"""

import json
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, UInt32
from rich.progress import Progress

import reporting
from jaxsweep.rules.game import game_key, move_key
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.position import Position
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.scalar.win_probability import WEIGHTS
from jaxsweep.simulation.matches import play_games
from jaxsweep.strategies import Move, Readiness, Reason
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.lookahead import Lookahead, two_safest
from jaxsweep.strategies.lookahead_loop import look_ahead
from jaxsweep.strategies.win_probability import features

SEED = 11
MOVES = 64
"""Guesses and certain cells of a game that the player is asked for, at most."""

LEVEL_STARTS = (
    ("expert", Start.SAFE),
    ("expert", Start.ZERO),
    ("intermediate", Start.SAFE),
    ("beginner", Start.SAFE),
)

recorded: list[
    tuple[UInt32[np.ndarray, "guesses words"], Float[np.ndarray, "features guesses"]]
] = []
"""Of every guess, its key, and the features of the win-probability model."""


class Recording(Lookahead):
    """Plays as always, but makes its guesses on the host, and records their features."""

    def guesses_on(self, platform: str) -> bool:
        """Nowhere: the host records all guesses."""
        return False

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """Records the guesses that the device can make; searches endgames."""
        (move, ready), seen = _look(
            Lookahead(endgame_layouts=self.endgame_layouts), positions, keys
        )
        looked = np.asarray(move.reason) == Reason.LOOKAHEAD
        recorded.append(
            (np.asarray(jax.random.key_data(keys))[looked], np.asarray(seen)[:, looked])
        )
        host = LeastRisk(endgame_layouts=self.endgame_layouts).guess(positions, keys)
        use = jnp.asarray(ready == Readiness.READY)
        return jax.tree.map(lambda a, b: jnp.where(use, a, b), move, host)


@partial(jax.jit, static_argnums=0)
def _look(player: Lookahead, positions: Position, keys: Key[Array, " batch"]):
    """The player's own moves, and the features of each."""
    beliefs, outcomes, unsure = look_ahead(
        positions,
        player.looks_ahead,
        partial(two_safest, second_weight=player.second_weight),
        player.player.settings,
    )
    best = jnp.max(outcomes.expected_values(beliefs.log_layouts), axis=0)
    moves = player.decide_on_device(positions, beliefs, outcomes, unsure, keys)
    return moves, features(best[None], positions, beliefs)[:, 0]


def play(opening: Opening, games: int, bar: Progress) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of every guess, its features, its game, and whether that was won."""
    recorded.clear()
    won = np.zeros(games, bool)
    task = bar.add_task(f"{opening.level}, {opening.start.value}", total=games)
    for record in play_games(Recording(), opening, SEED, games, compare_losses=False):
        won[record.game_number] = record.won
        bar.advance(task, len(record.game_number))
    words = np.concatenate([key for key, _ in recorded])
    game = _games(words, games)
    return np.concatenate([seen for _, seen in recorded], axis=1).T, game, won[game]


def _games(words: UInt32[np.ndarray, "guesses words"], games: int) -> Int[np.ndarray, " guesses"]:
    """The games whose guesses have these keys."""

    def keys(number, asked):
        return jax.random.key_data(move_key(game_key(np.uint32(SEED), number), asked))

    each = jax.vmap(jax.vmap(keys, (None, 0)), (0, None))
    every = np.asarray(each(jnp.arange(games, dtype=jnp.uint32), jnp.arange(MOVES)))
    of = {key.tobytes(): number for number, row in enumerate(every) for key in row}
    return np.array([of[key.tobytes()] for key in words])


def fit(
    x: Float[np.ndarray, "guesses features"], won: Bool[np.ndarray, " guesses"]
) -> Float[np.ndarray, " features"]:
    """The maximum-likelihood weights of a logistic regression, by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-x @ weights))
        curve = (x * (chance * (1 - chance))[:, None]).T @ x
        weights += np.linalg.solve(curve, x.T @ (won - chance))
    return weights


def main() -> None:
    """Plays, fits, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "few games").parse_args().quick
    use_cache()
    games = 300 if quick else 1_500
    with Progress() as bar:
        parts = [play(Opening.of(LEVELS[n], start), games, bar) for n, start in LEVEL_STARTS]
    x, game, won = (np.concatenate(column) for column in zip(*parts, strict=True))
    held = game % 5 == 0
    weights = fit(x[~held].astype(float), won[~held])
    chance = 1 / (1 + np.exp(-x[held] @ weights))
    bounds = np.quantile(chance, np.linspace(0, 1, 11))
    tenth = np.clip(np.searchsorted(bounds, chance, side="right") - 1, 0, 9)
    table = [
        {
            "guesses": int((tenth == i).sum()),
            "chance": float(chance[tenth == i].mean()),
            "won": float(won[held][tenth == i].mean()),
        }
        for i in range(10)
    ]
    for row in table:
        print(f"{row['guesses']:>6} guesses: about {row['chance']:.1%}, won {row['won']:.1%}")
    named = dict(zip(WEIGHTS, map(float, weights), strict=True))
    print(json.dumps(named, indent=1))
    if not quick:
        about = reporting.origin(
            about="Chances and wins are of games that were not fitted.",
            levels=[f"{name} {start.value}" for name, start in LEVEL_STARTS],
            seed=SEED,
            games_of_each=games,
            guesses=len(won),
        )
        reporting.write("win-probability", about | {"weights": named, "held_out": table})


if __name__ == "__main__":
    main()
