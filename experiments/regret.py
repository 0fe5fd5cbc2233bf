"""How far each player is from the best move near the end: exactly, by search through all layouts.

    python experiments/regret.py [--quick]

Positions of expert games in which nothing is certain and 101 to 1,000 layouts are left. The search
gives the win probability of every cell; a player's regret is the best one less that of its choice.
Chance enters only by which positions there are, so that parts of a player can be compared whose
difference is too small to show in games. Writes `results/regret.json`.
"""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from rich.progress import Progress, track

import reporting
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.position import Position, to_grid
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.simulation.statistics import Z95
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import AbstractStrategy, Readiness
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.lookahead import Lookahead

SEED = 13
FEWEST, MOST = 101, 1_000
"""Layouts left."""

BATCH = 256

PLAYERS: dict[str, AbstractStrategy] = {
    "least risk, ties at random": LeastRisk(random_ties=True),
    "least risk, ties to fewest hidden neighbours": LeastRisk(),
    "one number ahead": Lookahead(endgame_layouts=0, fifty_fifties=False),
    "one number ahead, and 50/50s": Lookahead(endgame_layouts=0),
    "the same, within 0.9": Lookahead(endgame_layouts=0, candidate_ratio=0.9),
    "the same, 4 candidates": Lookahead(endgame_layouts=0, max_candidates=4),
}


def endings(stuck: int) -> tuple[Position, list[Float[np.ndarray, "rows cols"]]]:
    """Of so many stuck positions those near the end, and the chance to win with every cell."""
    positions = stuck_positions(Opening.of(LEVELS["expert"], Start.ZERO), SEED, stuck)
    beliefs = infer(positions)
    layouts = np.exp(np.asarray(beliefs.log_layouts, float))
    near = (layouts > FEWEST - 0.5) & (layouts < MOST + 0.5)
    near &= ~np.asarray(beliefs.safe).any((1, 2))
    mines = np.asarray(beliefs.mines)
    chosen = jax.tree.map(lambda leaf: np.asarray(leaf)[..., near], positions)
    # As in the arena, mines that are certain are known.
    chosen = eqx.tree_at(lambda p: p.flags, chosen, bitboard.pack_batch(mines[near]))
    chances = []
    for i in track(np.nonzero(near)[0], "searching"):
        grid = to_grid(jax.tree.map(lambda leaf, i=i: np.asarray(leaf)[..., i], positions))
        rows, cols = grid.shape
        search = search_endgame(grid, int(positions.mines[i]), mines[i, :rows, :cols], MOST)
        assert search is not None, "it is near the end"
        chance = np.zeros(grid.shape)
        for cell, win in search.win_probabilities().items():
            chance[cell] = win
        chances.append(chance)
    return chosen, chances


def regrets(
    player: AbstractStrategy, positions: Position, chances: list[Float[np.ndarray, "rows cols"]]
) -> Float[np.ndarray, " some"]:
    """What the player's choices are short of the best, where the device can make them."""
    guess = jax.jit(player.guess_on_device)
    found = []
    for start in range(0, len(chances), BATCH):
        which = np.minimum(np.arange(start, start + BATCH), len(chances) - 1)
        part = jax.tree.map(lambda leaf, w=which: jnp.asarray(leaf[..., w]), positions)
        move, ready = jax.device_get(guess(part, jax.random.split(jax.random.key(start), BATCH)))
        for i, chance in enumerate(chances[start : start + BATCH]):
            if ready[i] == Readiness.READY:
                opens = bitboard.unpack(move.opens[..., i], chance.shape[1])
                found.append(chance.max() - chance[opens].item())
    return np.array(found)


def main() -> None:
    """Searches, asks the players, prints a table and writes the result file."""
    quick = reporting.arguments(__doc__, "few positions").parse_args().quick
    use_cache()
    positions, chances = endings(1_000 if quick else 20_000)
    rows = []
    with Progress() as bar:
        for name, player in bar.track(PLAYERS.items(), description="players"):
            regret = 100 * regrets(player, positions, chances)
            rows.append(
                {
                    "player": name,
                    "positions": len(regret),
                    "regret_points": float(regret.mean()),
                    "margin_95": float(Z95 * regret.std() / math.sqrt(len(regret))),
                    "best_choice": float((regret < 1e-9).mean()),
                }
            )
    print("| player | regret, points | the best choice |\n|---|---|---|")
    for row in rows:
        regret = f"{row['regret_points']:.2f} ± {row['margin_95']:.2f}"
        print(f"| {row['player']} | {regret} | {row['best_choice']:.0%} |")
    if not quick:
        about = reporting.origin(
            about="Expert, first cell 0, rules stuck; the best chance to win less the chosen "
            f"cell's, with {FEWEST} to {MOST} layouts left.",
            seed=SEED,
        )
        best = float(np.mean([chance.max() for chance in chances]))
        reporting.write("regret", about | {"best_chance": best, "players": rows})


if __name__ == "__main__":
    main()
