"""How much oftener one player wins than another, and where, with far fewer games than it takes.

    python experiments/duel.py A B [--level LEVEL] [--start safe|zero] [--games N] [--draws K]

B plays games. Wherever A would choose another cell, A plays both choices out on the same layouts,
drawn from the posterior (`jaxsweep.native.duels`): the sum of the differences is what B wins more
than A. A player is a name of the registry, with parameters after a colon that differ from it:
`strongest:max_candidates=16,candidate_ratio=0.8`. Adds a row to `results/duels.json`.
"""

import argparse
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from jaxtyping import Float, Int8
from rich.progress import Progress

import reporting
from jaxsweep.commands.arguments import whole_number
from jaxsweep.native.cell_values import MAX_COMPARED, make_rooms
from jaxsweep.native.duels import DISAGREEMENT, observe_worth, play_duel
from jaxsweep.native.lookahead import MAX_CANDIDATES
from jaxsweep.native.players import settings_of
from jaxsweep.native.playouts import BINS
from jaxsweep.native.rollouts import no_comparison
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime import machine
from jaxsweep.scalar.deal import deal
from jaxsweep.scalar.players import PLAYERS, LeastRiskPlayer, LookaheadPlayer, RolloutPlayer
from jaxsweep.simulation.statistics import wilson
from jaxsweep.strategies.native import comparison_of

SEED = 2027
CHUNK = 100
"""Games that a thread plays before it reports."""

MAX_DISAGREEMENTS = 200
"""The most disagreements of a game."""

PILOT_GAMES = 2000
"""Games of A, by which the worth of a game after a guess is estimated."""

MOST = {
    "max_candidates": MAX_CANDIDATES,
    "deeper_candidates": MAX_CANDIDATES,
    "compared": MAX_COMPARED,
    "draws": 100_000,
}
"""The highest values of parameters."""

PHASES = (0, 6, 21, 49, 101, 201, 301, 371, 481)
"""Open cells at which a phase of an expert game begins."""


CountingPlayer = LeastRiskPlayer | LookaheadPlayer
"""A player that guesses by counting layouts exactly, and can be one that plays on."""


P = TypeVar("P", bound=LeastRiskPlayer | LookaheadPlayer | RolloutPlayer)


class Sides(NamedTuple):
    """Both players."""

    a: CountingPlayer
    b: CountingPlayer | RolloutPlayer


class Chunk(NamedTuple):
    """Some games: which of them were won, and all disagreements."""

    won: np.ndarray
    counted: np.ndarray
    found: np.ndarray


def player(text: str) -> CountingPlayer:
    """Reads a player that counts layouts: a name, and parameters that differ from its own."""
    found = any_player(text)
    if isinstance(found, RolloutPlayer):
        raise argparse.ArgumentTypeError(f"{text!r} compares by playouts: it can only be B")
    return found


def any_player(text: str) -> CountingPlayer | RolloutPlayer:
    """As `player`, and also one that compares candidates by playouts.

    The parameters of such a player are its own, and those of its look-ahead.
    """
    name, _, rest = text.partition(":")
    known = PLAYERS.get(name)
    if not isinstance(known, CountingPlayer | RolloutPlayer) or (
        isinstance(known, LeastRiskPlayer) and known.engine is not None
    ):
        raise argparse.ArgumentTypeError(f"{name!r} is no player that counts layouts exactly")
    if isinstance(known, RolloutPlayer):
        own = _parameters(known)
        words = list(filter(None, rest.split(",")))
        ahead = [word for word in words if word.partition("=")[0] not in own]
        rest = ",".join(word for word in words if word not in ahead)
        known = replace(known, lookahead=_change(name, known.lookahead, ",".join(ahead)))
    return _change(name, known, rest)


def _parameters(known: CountingPlayer | RolloutPlayer) -> dict[str, type]:
    """The parameters that a duel may change: neither engines, nor rules, nor other players."""
    types = {field.name: type(getattr(known, field.name)) for field in fields(known)}
    types.pop("pairs", None)
    return {key: kind for key, kind in types.items() if kind in (bool, int, float)}


def _change(name: str, known: P, rest: str) -> P:
    """Changes parameters of a player."""
    types = _parameters(known)
    changes: dict[str, Any] = {}
    for word in filter(None, rest.split(",")):
        key, equals, value = word.partition("=")
        if key not in types or not equals:
            raise argparse.ArgumentTypeError(f"{word!r}: {name} has {', '.join(types)}")
        try:
            changes[key] = (
                {"True": True, "False": False}[value] if types[key] is bool else (types[key](value))
            )
        except (KeyError, ValueError):
            raise argparse.ArgumentTypeError(f"{word!r} is no {types[key].__name__}") from None
    changed = replace(known, **changes)
    # The compiled look-ahead and playouts have room for so many, and do not check.
    for key, most in MOST.items():
        if not 0 < getattr(changed, key, 1) <= most:
            raise argparse.ArgumentTypeError(f"{key} is not 1 to {most}")
    return changed


class Table:
    """The memory of one thread, for duels of two players."""

    def __init__(self, opening: Opening, sides: Sides, draws: int):
        board = (opening.level.rows, opening.level.cols)
        self.opening = opening
        b = sides.b.lookahead if isinstance(sides.b, RolloutPlayer) else sides.b
        self.settings = (settings_of(sides.a), settings_of(b))
        self.rooms = make_rooms(*board, self.settings, draws)
        self.comparison = no_comparison(self.settings[0], self.rooms)
        if isinstance(sides.b, RolloutPlayer):
            comparison, shared = comparison_of(sides.b, *board), self.rooms
            own = comparison.rooms._replace(other_work=shared.other_work, game=shared.game)
            self.comparison = comparison._replace(rooms=own)
        self.found = np.zeros(MAX_DISAGREEMENTS, DISAGREEMENT)

    def start(self, game: int) -> tuple[int, int, Int8[np.ndarray, " cells"]]:
        """The number of mines, the first cell, and the layout of a game, as the arena deals it."""
        level, (row, col) = self.opening.level, self.opening.first
        layout = deal(self.opening, SEED, game).astype(np.int8).ravel()
        return level.mines, row * level.cols + col, layout

    def observe(self, games: range) -> tuple[np.ndarray, np.ndarray]:
        """Sums of what games of A were worth after guesses, and how many guesses there were."""
        sums, counts = np.zeros(BINS), np.zeros(BINS)
        path = np.zeros(self.opening.level.cells, np.int64)
        for game in games:
            random = generator(1, game)
            player = self.settings[0]
            observe_worth(*self.start(game), player, random, self.rooms, path, sums, counts)
        return sums, counts

    def play(self, games: range, worth: Float[np.ndarray, " bins"]) -> Chunk:
        """Plays duels."""
        won, counted, found = np.zeros(len(games), bool), np.zeros(len(games), bool), []
        for i, game in enumerate(games):
            start, random = self.start(game), generator(0, game)
            sides = (*self.settings, self.comparison)
            count, status = play_duel(*start, *sides, worth, random, self.rooms, self.found)
            won[i], counted[i] = status == 1, status >= 0
            if status >= 0:
                own = self.found[:count].copy()
                own["game"] = game
                found.append(own)
        return Chunk(won, counted, np.concatenate([np.zeros(0, DISAGREEMENT), *found]))


def generator(purpose: int, game: int) -> np.ndarray:
    """The random numbers of a game: the state of a generator."""
    return np.random.SeedSequence([SEED, purpose, game]).generate_state(1, np.uint64)


def on_all_cores(
    table: Callable[[], Table], chunks: list[range], method: Callable[[Table, range], Any]
) -> Iterator[Any]:
    """Yields what a method of a thread's own table returns for each chunk of games, in order."""
    own = threading.local()

    def work(chunk: range) -> Any:
        if not hasattr(own, "table"):
            own.table = table()
        return method(own.table, chunk)

    with ThreadPoolExecutor(machine.cores()) as pool:
        yield from pool.map(work, chunks)


def chunks_of(first: int, games: int, size: int = CHUNK) -> list[range]:
    """Games from `first` on, in chunks."""
    end = first + games
    return [range(begin, min(begin + size, end)) for begin in range(first, end, size)]


def estimate(values: Float[np.ndarray, " found"], games: np.ndarray, count: int) -> dict[str, Any]:
    """The sum of some values over a game, as a mean of all games in points, with its interval."""
    _, which = np.unique(games, return_inverse=True)
    sums = np.zeros(count)
    np.add.at(sums, which, values)
    half = 1.96 * sums.std(ddof=1) / np.sqrt(count)
    mean = sums.mean()
    return {
        "points": round(100 * mean, 4),
        "interval_95": [round(100 * (mean - half), 4), round(100 * (mean + half), 4)],
        "a_game": round(len(values) / count, 4),
    }


def divide(found: np.ndarray, games: int) -> dict[str, dict[str, Any]]:
    """The difference by phase, by kind of cell, and by what B risks more than A."""
    phase = np.digitize(found["open"], PHASES) - 1
    more = found["risk"][:, 1] - found["risk"][:, 0]
    kinds = np.array(["off the frontier", "frontier"])[found["on_frontier"]]
    parts: dict[str, np.ndarray] = {}
    for i, begin in enumerate(PHASES[:-1]):
        parts[f"{begin} to {PHASES[i + 1] - 1} open"] = phase == i
    for a, b in itertools.product(np.unique(kinds), repeat=2):
        parts[f"A {a}, B {b}"] = (kinds[:, 0] == a) & (kinds[:, 1] == b)
    parts["B riskier by more than 0.03"] = more > 0.03
    parts["B riskier by at most 0.03"] = (more > 1e-9) & (more <= 0.03)
    parts["equal risk"] = np.abs(more) <= 1e-9
    parts["A riskier"] = more < -1e-9
    return {
        name: estimate(found["difference"][which], found["game"][which], games)
        for name, which in parts.items()
        if which.any()
    }


def observe(table: Callable[[], Table]) -> Float[np.ndarray, " bins"]:
    """What a game of A is worth after a guess, by the logarithm of the layouts left."""
    observed = list(on_all_cores(table, chunks_of(2**30, PILOT_GAMES), Table.observe))
    sums, counts = (np.sum(one, axis=0) for one in zip(*observed, strict=True))
    # Bins without games get the mean of all.
    return (sums + sums.sum() / counts.sum()) / (counts + 1)


def duel(opening: Opening, sides: Sides, first: int, games: int, draws: int) -> dict[str, Any]:
    """Plays the pilot games and the duels, and estimates the difference."""

    def table() -> Table:
        return Table(opening, sides, draws)

    worth = observe(table)
    began, parts = time.perf_counter(), []
    with Progress() as bar:
        task = bar.add_task("duels", total=games)
        method = partial(Table.play, worth=worth)
        for part in on_all_cores(table, chunks_of(first, games), method):
            parts.append(part)
            bar.advance(task, len(part.won))
    seconds = time.perf_counter() - began
    counted = np.concatenate([part.counted for part in parts])
    won = np.concatenate([part.won for part in parts])[counted]
    found = np.concatenate([part.found for part in parts])
    total = len(won)
    wins = int(won.sum())
    noise = 1.96 * np.sqrt(found["variance"].sum()) / total
    return {
        "games": total,
        "left_out": int((~counted).sum()),
        "win_rate_of_b": wins / total,
        "interval_95_of_b": wilson(wins, total),
        "difference": estimate(found["difference"], found["game"], total),
        "of_which_playouts_points": round(100 * noise, 4),
        "parts": divide(found, total),
        "seconds": seconds,
    }


def main() -> None:
    """Plays duels, prints where the difference comes from, and adds a row to the result file."""
    parser = reporting.arguments(__doc__, "few games")
    parser.add_argument("a", type=player, help="the player that plays on")
    parser.add_argument("b", type=any_player, help="the player whose games are played")
    parser.add_argument("--level", choices=LEVELS, default="expert")
    parser.add_argument("--start", choices=[s.value for s in Start], default="safe")
    parser.add_argument("--games", type=whole_number(1, 2**30), default=20_000)
    parser.add_argument(
        "--first", type=whole_number(0, 2**29), default=0, metavar="N", help="the first game"
    )
    parser.add_argument(
        "--draws", type=whole_number(2, 10_000), default=4, help="layouts for each disagreement"
    )
    parsed = parser.parse_args()
    opening = Opening.of(LEVELS[parsed.level], Start(parsed.start))
    games = 400 if parsed.quick else parsed.games
    found = duel(opening, Sides(parsed.a, parsed.b), parsed.first, games, parsed.draws)
    about = {"a": repr(parsed.a), "b": repr(parsed.b), "level": parsed.level, "start": parsed.start}
    row = reporting.origin(seed=SEED, first=parsed.first, draws=parsed.draws) | about | found
    whole = found["difference"]
    print(f"B wins {100 * found['win_rate_of_b']:.2f} % of {found['games']:,} games")
    for name, part in {"B more than A": whole, **found["parts"]}.items():
        low, high = part["interval_95"]
        print(
            f"{name:32} {part['points']:+.3f} ({low:+.3f} to {high:+.3f}) points, "
            f"{part['a_game']:.3f} a game"
        )
    print(f"playouts alone: ± {found['of_which_playouts_points']:.3f}; {found['seconds']:.0f} s")
    if not parsed.quick:
        rows = reporting.read("duels") if (reporting.RESULTS / "duels.json").exists() else []
        reporting.write("duels", [one for one in rows if one["command"] != row["command"]] + [row])


if __name__ == "__main__":
    main()
