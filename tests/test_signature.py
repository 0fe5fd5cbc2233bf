"""A functional signature, as Stockfish has one: what engines infer and how players play is pinned.

A change that is not meant to change play leaves every value below as it is. One that is meant to
writes the new values with

    python -m tests.test_signature

and adds a line with the new signature to CHANGELOG.md that says why play changed.

The values must hold on every CPU and for every version of JAX, so no raw float is among them.
Probabilities are rounded to percent, and the positions are chosen such that none is near a rounding
boundary. Engines that draw with floats are only compared with the exact engine. Of games, whole
numbers are taken: who won, and how many cells were opened in how many moves.
"""

import hashlib
import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import jax
import numpy as np
import pytest
from rich.progress import track

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines import ENGINES
from jaxsweep.inference import infer, infer_and_count
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.rules.notation import read_all
from jaxsweep.rules.position import Position, from_grid, to_text
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.simulation.matches import merge, play_games
from jaxsweep.simulation.stuck_positions import stuck_positions
from jaxsweep.strategies import STRATEGIES

DATA = Path(__file__).parent / "data"
POSITIONS = DATA / "signature-positions.txt"
PINNED = DATA / "signature.json"
CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"

SAMPLED = ("sampling", "chains")
"""Engines that draw with floats: their estimates may differ by platform."""

STANDARD_ERRORS = 4
"""Within so many standard errors of the exact probability are 99 % of the sampled ones."""

MARGIN = 2e-5
"""No probability of a chosen position is nearer to a rounding boundary."""

SEED = 9
BATCH = 64
"""Games in progress on each device: the shape that other tests compile, too."""

FIELDS = ("won", "clicks", "guesses", "rounds", "opened", "loss")
"""Whole numbers of a game's record."""

GAMES = {
    **{("beginner", name): 300 for name in STRATEGIES if name != "strongest"},
    # These guess on the host, one component after the other.
    ("beginner", "sampling"): 8,
    ("beginner", "edges"): 40,
    ("beginner", "tilesets"): 100,
    ("beginner", "bitmask"): 100,
    ("expert", "strongest"): 200,
}
"""How many games of which level each player plays."""


@cache
def positions() -> list[Position]:
    return [from_grid(*one) for one in read_all(POSITIONS.read_text("utf-8"))]


@cache
def infer_all(name: str) -> Beliefs:
    return infer(positions(), ENGINES[name], SEED)


def digest(value) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def rounded(beliefs: Beliefs) -> np.ndarray:
    """Probabilities, or scores, before rounding: in percent; 0 where there are none."""
    values = beliefs.mine_probability if beliefs.score is None else beliefs.score
    return 100 * np.where(np.isfinite(values), values, 0.0).astype(float)


def margin(beliefs: Beliefs) -> np.ndarray:
    """How far, as a probability, the values of each position stay from a rounding boundary."""
    return np.abs(rounded(beliefs) % 1 - 0.5).min((1, 2)) / 100


def describe_engine(name: str) -> dict:
    """What is pinned of an engine: status, certain cells and percentages."""
    beliefs = infer_all(name)
    status = np.asarray(beliefs.status).tolist()
    certain = [np.argwhere(mask).tolist() for mask in (beliefs.safe, beliefs.mines)]
    told: list = [status, certain]
    if name not in SAMPLED:
        told.append(np.rint(rounded(beliefs)).astype(int).tolist())
    row = {Status(key).name.lower(): count for key, count in sorted(Counter(status).items())}
    row |= {"safe": len(certain[0]), "mines": len(certain[1])}
    return row | {"digest": digest(told)}


def count_layouts() -> list[str]:
    """The number of layouts of every position, as text: they have up to a hundred digits."""
    return list(map(str, infer_and_count(positions())[1]))


def describe_player(level: str, name: str) -> dict:
    """What is pinned of a player's games: sums to read, and a digest of every game."""
    games = GAMES[level, name]
    opening = Opening.of(LEVELS[level])
    record = merge(list(play_games(STRATEGIES[name], opening, SEED, games, BATCH))).ordered()
    columns = {field: getattr(record, field).astype(int) for field in FIELDS}
    row = {"games": games}
    row |= {field: int(columns[field].sum()) for field in FIELDS if field != "loss"}
    return row | {"digest": digest([column.tolist() for column in columns.values()])}


def signature(table: dict) -> str:
    """One checksum of all that is pinned."""
    return digest([table["layouts"], table["engines"], table["players"]])


def pinned() -> dict:
    return json.loads(PINNED.read_text("utf-8"))


def compare(what: str, old, new) -> None:
    assert new == old, (
        f"{what} has changed.\n  pinned: {json.dumps(old)}\n  now:    {json.dumps(new)}\n"
        "If this is not meant, the last change has an effect that it should not have. If it is, "
        "run `python -m tests.test_signature` and say in CHANGELOG.md, with the new signature, "
        "why it changed."
    )


@pytest.mark.smoke
def test_layouts_are_counted_as_before():
    counts = zip(pinned()["layouts"], count_layouts(), strict=True)
    for i, (old, new) in enumerate(counts):
        compare(f"The number of layouts of position {i} of {POSITIONS.name}", old, new)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.smoke) if n == "exact" else n for n in ENGINES]
)
def test_engines_infer_what_they_inferred(name):
    compare(
        f"What the engine {name!r} infers", pinned()["engines"].get(name), describe_engine(name)
    )
    if name not in SAMPLED:
        near = margin(infer_all(name)) < MARGIN / 2
        assert not near.any(), (
            f"The engine {name!r} infers the same, but rounding is near in the positions "
            f"{np.nonzero(near)[0].tolist()} of {POSITIONS.name}: choose others with "
            "`python -m tests.test_signature --positions`."
        )


@pytest.mark.parametrize("name", SAMPLED)
def test_estimates_agree_with_the_exact_engine(name):
    truth, beliefs = infer_all("exact"), infer_all(name)
    known = np.isin(beliefs.status, (Status.EXACT, Status.ESTIMATE)) & (
        np.asarray(truth.status) == Status.EXACT
    )
    assert known.sum() > len(known) // 2
    off = np.abs(beliefs.mine_probability - truth.mine_probability)[known]
    error = np.asarray(beliefs.error)[known]
    agree = (off <= STANDARD_ERRORS * error + 1e-5)[error > 0]
    assert agree.mean() >= 0.99, f"{name!r} is further off than its standard errors say"
    assert off.max() < 0.05


@pytest.mark.parametrize(("level", "name"), GAMES)
def test_players_play_as_they_played(level, name):
    old = pinned()["players"].get(f"{level} {name}")
    compare(f"How the player {name!r} plays {level}", old, describe_player(level, name))


@pytest.mark.smoke
def test_the_changelog_has_the_signature():
    table = pinned()
    assert table["signature"] == signature(table), (
        f"{PINNED.name} was edited by hand: write it with `python -m tests.test_signature`."
    )
    assert table["signature"] in CHANGELOG.read_text("utf-8"), (
        f"Play has changed to the signature {table['signature']}: add a line with it to "
        "CHANGELOG.md that says why."
    )


def choose_positions() -> list[Position]:
    """Stuck positions of games and `UNUSUAL` ones, none with a value near a rounding boundary.

    A position is left out if any engine with pinned percentages has a value within `MARGIN` of a
    boundary. Probabilities such as 1/8 are on one.
    """
    groups = [[from_grid(*one) for one in read_all(UNUSUAL)]]
    for level, start, count in CANDIDATES:
        batch = stuck_positions(Opening.of(LEVELS[level], start), SEED, count)
        stuck = [jax.tree.map(lambda leaf, i=i: leaf[..., i], batch) for i in range(count)]
        # Many games are stuck at once, at the same number in the corner.
        groups.append(list({to_text(position): position for position in stuck}.values()))
    candidates = [position for group in groups for position in group]
    near = is_near_rounding(candidates)
    chosen, first = [], 0
    for group in groups:
        far = np.nonzero(~near[first : first + len(group)])[0]
        print(f"{len(far)} of {len(group)} positions are far from every rounding boundary")
        chosen += [group[i] for i in far[:MOST]]
        first += len(group)
    assert not is_near_rounding(chosen).any()
    return chosen


def is_near_rounding(some: list[Position]) -> np.ndarray:
    engines = [engine for name, engine in ENGINES.items() if name not in SAMPLED]
    margins = [margin(infer(some, engine, SEED)) for engine in engines]
    return np.minimum.reduce(margins) < MARGIN


CANDIDATES = (
    ("beginner", Start.SAFE, 80),
    ("intermediate", Start.ZERO, 80),
    ("expert", Start.SAFE, 200),
)
"""Level, start rule and number of the stuck positions to choose from."""

MOST = 10
"""Positions of a level that are chosen."""

UNUSUAL = """
4x3x3
1HHH
HHHH
HHH1
4x2x1
1HH1
HHHH
6x5x6
HHHHHH
HHHHHH
HHHHHH
HHHHHH
HHHHHH
5x2x4
2F3HH
HHHHH
"""
"""Two corners, numbers that no layout satisfies, a board before the first move, and a flag."""


def main() -> None:
    """Writes the pinned values anew; with `--positions`, chooses the positions before."""
    use_cache()
    if "--positions" in sys.argv:
        POSITIONS.write_text("\n".join(map(to_text, choose_positions())), "utf-8")
    table: dict = {"signature": ""}
    table["layouts"] = count_layouts()
    table["engines"] = {name: describe_engine(name) for name in track(ENGINES, "engines")}
    table["players"] = {" ".join(key): describe_player(*key) for key in track(GAMES, "players")}
    table["signature"] = signature(table)
    PINNED.write_text(as_lines(table), "utf-8")
    print(f"The signature is {table['signature']}: say in CHANGELOG.md why play changed.")


def as_lines(table: dict) -> str:
    """JSON with one line for each position, engine and player."""
    parts = [f' "signature": {json.dumps(table["signature"])}']
    counts = ",\n".join(f"  {json.dumps(count)}" for count in table["layouts"])
    parts.append(f' "layouts": [\n{counts}\n ]')
    for key in ("engines", "players"):
        rows = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table[key].items()]
        parts.append(f' "{key}": {{\n' + ",\n".join(rows) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
