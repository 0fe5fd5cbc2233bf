"""Whether the scalar path and the devices agree: positions, and whole games move by move.

    python experiments/agreement.py [--quick]

Stuck positions of six levels: mine probabilities, certain cells, numbers of layouts, and what every
player chooses. Whole expert games: every move of the device's rounds and guesses against the game
that is watched. Writes `results/agreement.json`; exits with status 1 if anything differs.
"""

import sys
from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from rich.progress import Progress

import reporting
from jaxsweep.beliefs import Status
from jaxsweep.engines.exact import Exact
from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import vmap_last
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.position import Position, to_grid_position
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.scalar import exact
from jaxsweep.scalar.players import PLAYERS, LeastRiskPlayer, LookaheadPlayer, RolloutPlayer, advise
from jaxsweep.simulation import episode
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.single.watch import watch
from jaxsweep.strategies import STRATEGIES, AbstractStrategy, Move, Readiness, Rules
from jaxsweep.strategies.base import keys_of

SEED = 16
BATCH = 256
POSITIONS = 840
"""Stuck positions of each opening."""

GAMES = 2000
"""Games of each player."""

OPENINGS = {
    "beginner": Opening.of(LEVELS["beginner"]),
    "intermediate": Opening.of(LEVELS["intermediate"]),
    "expert SAFE": Opening.of(LEVELS["expert"]),
    "expert ZERO": Opening.of(LEVELS["expert"], Start.ZERO),
    "16×30/130": Opening.of(Level(16, 30, 130)),
    "50×50/500": Opening.of(Level(50, 50, 500), Start.ZERO),
}

PLAYED = ("exact", "endgame", "lookahead")
"""The players of whole games."""

COMPARED = [
    name
    for name, player in PLAYERS.items()
    if not (isinstance(player, LeastRiskPlayer) and player.engine)
    and not isinstance(player, RolloutPlayer)
    and not (isinstance(player, LookaheadPlayer) and player.refined)
]
"""The players that both the scalar path and devices have. Those that look two numbers ahead are
compared with their compiled form by tests."""

MoveKey = tuple[tuple[tuple[int, int], ...], int]
"""The cells that a move opens, and its reason."""


def some(batch: Position, start: int, stop: int) -> Position:
    """Some positions of a batch, on the host."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[..., start:stop], batch)


def compare_positions(opening: Opening, count: int, bar: Progress, task) -> dict:
    """Compares beliefs, counts and choices in stuck positions of an opening."""
    batch = stuck_positions(opening, SEED, count)
    beliefs, counts = Exact().infer_and_count(batch)
    grids = [to_grid_position(jax.tree.map(lambda x, i=i: x[..., i], batch)) for i in range(count)]
    rows, cols = opening.level.rows, opening.level.cols
    largest, certain, layouts, known = 0.0, 0, 0, 0
    for i, grid in enumerate(grids):
        own, total = exact.infer(grid)
        assert own.status == beliefs.status[i] == Status.EXACT
        theirs = np.asarray(beliefs.mine_probability)[i, :rows, :cols]
        largest = max(largest, float(np.abs(own.mine_probability - theirs).max()))
        for name in ("safe", "mines"):
            certain += int((getattr(own, name) != getattr(beliefs, name)[i, :rows, :cols]).sum())
        if counts[i] is not None:
            known += 1
            layouts += int(counts[i] != total)
    choices = {}
    for name in COMPARED:
        choices[name] = compare_choices(name, batch, grids, cols)
        bar.advance(task)
    return {
        "positions": count,
        "largest_difference_of_probabilities": largest,
        "certain_cells_that_differ": certain,
        "layout_counts_that_differ": layouts,
        "layout_counts_compared": known,
        "choices": choices,
    }


def compare_choices(name: str, batch: Position, grids: list, cols: int) -> dict[str, int]:
    """Compares what a player opens on the device and on the scalar path."""
    guess = jax.jit(STRATEGIES[name].guess_on_device)
    different = on_device = 0
    for start in range(0, len(grids), BATCH):
        stop, seen = min(start + BATCH, len(grids)), start
        # The last batch begins earlier, so that all have one size.
        start = max(0, stop - BATCH)
        words = [(7, i) for i in range(start, stop)]
        moves, ready = jax.device_get(guess(some(batch, start, stop), keys_of(words)))
        opens = np.asarray(bitboard.unpack(moves.opens, cols))
        for i, key in enumerate(words):
            if ready[i] != Readiness.READY or start + i < seen:
                continue
            advice = advise(PLAYERS[name], grids[start + i], key)
            assert advice is not None
            on_device += 1
            theirs = [tuple(cell) for cell in np.argwhere(opens[..., i]).tolist()]
            same = sorted(advice.cells) == theirs and advice.reason == int(moves.reason[i])
            different += not same
    return {"compared": on_device, "different": different}


def device_games(
    strategy: AbstractStrategy, opening: Opening, numbers: range
) -> Iterator[list[MoveKey]]:
    """Plays games in lockstep by the device's rounds; yields the moves of each."""
    arrays, seed, cols = OpeningArrays.of(opening), np.uint32(SEED), opening.level.cols
    openings = arrays.broadcast(len(numbers))
    games = vmap_last(partial(episode.deal, arrays, seed))(jnp.array(numbers, jnp.uint32))
    moves: list[list[MoveKey]] = [[] for _ in numbers]

    @jax.jit
    def single(games: Episode):
        return episode.play_single_round(openings, Rules.PAIR, games)

    @jax.jit
    def pair(games: Episode):
        return episode.play_pair_round(openings, games)

    @jax.jit
    def guess(games: Episode):
        view = episode.view(openings, games)
        keys = vmap_last(partial(episode.key_for, seed=seed))(games)
        return (view, keys, *strategy.guess_on_device(view, keys))

    def note(opens, reasons, which) -> None:
        boards = np.asarray(bitboard.unpack(np.asarray(opens), cols))
        for i in np.nonzero(which & boards.any((0, 1)))[0].tolist():
            cells = tuple((r, c) for r, c in np.argwhere(boards[..., i]).tolist())
            moves[i].append((cells, int(reasons[i])))

    while True:
        stage = np.asarray(games.stage)
        if (stage == Stage.OVER).all():
            yield from moves
            return
        step = next((s for s in (Stage.SINGLE, Stage.PAIR) if (stage == s).any()), Stage.GUESS)
        now = stage == step
        if step != Stage.GUESS:
            result = (single if step == Stage.SINGLE else pair)(games)
            note(result.opens, np.asarray(result.rule), now)
            games = episode.select(jnp.asarray(now), result.episode, games)
            continue
        view, keys, move, ready = guess(games)
        ready = np.asarray(ready)
        if (now & (ready == Readiness.NEEDS_HOST)).any():
            move = _on_host(strategy, view, keys, move, now & (ready == Readiness.NEEDS_HOST))
        now &= ready != Readiness.RETRY
        note(move.opens, np.asarray(move.reason), now)
        games = episode.select(jnp.asarray(now), episode.apply_move(games, move), games)


def _on_host(strategy: AbstractStrategy, view: Position, keys, move: Move, which) -> Move:
    """Replaces the moves that the device cannot make by those of the host."""
    at = np.nonzero(which)[0]
    own = strategy.guess(jax.tree.map(lambda x: jnp.asarray(x)[..., at], view), keys[at])
    return jax.tree.map(lambda x, y: jnp.asarray(x).at[..., at].set(jnp.asarray(y)), move, own)


def compare_games(name: str, count: int, bar: Progress, task) -> dict[str, int]:
    """Compares whole games of a player, move by move."""
    opening, different, compared = OPENINGS["expert SAFE"], 0, 0
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        played = device_games(STRATEGIES[name], opening, numbers)
        for number, theirs in zip(numbers, played, strict=True):
            watched = watch(name, opening, SEED, number)
            own = [(tuple(move.cells), int(move.reason)) for move in watched][1:]
            different += own != theirs
            compared += len(own)
        bar.advance(task)
    return {"games": count, "moves": compared, "games_that_differ": different}


def main() -> None:
    """Compares, prints and writes the result file."""
    parsed = reporting.arguments(__doc__, "a few positions and games").parse_args()
    use_cache()
    positions, games = (BATCH, BATCH) if parsed.quick else (POSITIONS, GAMES)
    found = {}
    with Progress() as bar:
        task = bar.add_task("positions", total=len(OPENINGS) * len(COMPARED))
        for name, opening in OPENINGS.items():
            found[name] = compare_positions(opening, positions, bar, task)
        task = bar.add_task("games", total=len(PLAYED) * -(-games // BATCH))
        whole = {name: compare_games(name, games, bar, task) for name in PLAYED}
    wrong = sum(each["games_that_differ"] for each in whole.values())
    for name, each in found.items():
        differ = {player: c["different"] for player, c in each["choices"].items() if c["different"]}
        wrong += each["certain_cells_that_differ"] + each["layout_counts_that_differ"]
        wrong += sum(differ.values()) + (each["largest_difference_of_probabilities"] > 1e-6)
        print(
            f"{name}: {each['positions']} positions, probabilities within "
            f"{each['largest_difference_of_probabilities']:.1e}, "
            f"{each['certain_cells_that_differ']} certain cells and "
            f"{each['layout_counts_that_differ']} layout counts differ, choices that differ: "
            f"{differ or 'none'}"
        )
    for name, each in whole.items():
        print(
            f"{name}: {each['games']} games, {each['moves']} moves, "
            f"{each['games_that_differ']} games differ"
        )
    if not parsed.quick:
        about = reporting.origin(
            measures="differences between the scalar path and the devices", seed=SEED
        )
        reporting.write("agreement", about | {"positions": found, "games": whole})
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
