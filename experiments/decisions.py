"""Makes a table of decisions: what each candidate of a position is worth, by playouts.

    python experiments/decisions.py DIR [--level LEVEL] [--start safe|zero] [--games N] [--draws K]

A player that looks ahead plays games. At each of its decisions a judge plays the best candidates
out on the same layouts, drawn from the posterior (`jaxsweep.native.decisions`). Writes a file for
every `CHUNK` games to DIR, and goes on where it was stopped. Rankings of candidates are fitted to
such tables and compared by them, without playing a game (`experiments/ranking.py`).
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from jaxtyping import Float
from rich.progress import Progress

import reporting
from duel import Sides, Table, chunks_of, generator, observe, player
from jaxsweep.commands.arguments import whole_number
from jaxsweep.native.decisions import Decisions, list_decisions, make_decisions
from jaxsweep.native.players import settings_of
from jaxsweep.rules.level import LEVELS, Opening, Start
from jaxsweep.runtime import machine
from jaxsweep.runtime.files import write_atomically

CHUNK = 250
"""Games of a file."""

MAX_DECISIONS = 100
"""The most decisions of a game."""

WIDE = "lookahead:candidate_ratio=0.78,max_candidates=24,second_weight=0.4"
"""The player by whose parameters candidates are found; its best are compared."""


class Collector:
    """The memory of one thread."""

    def __init__(self, opening: Opening, sides: Sides, compared: int, draws: int):
        self.table = Table(opening, sides, draws)
        self.wide = settings_of(player(WIDE))
        self.found = make_decisions(MAX_DECISIONS, opening.level.cells, compared, draws)

    def collect(self, games: range, worth: Float[np.ndarray, " bins"]) -> Decisions:
        """Plays games, and returns all their decisions."""
        judge, own = self.table.settings
        parts = []
        for game in games:
            count = list_decisions(
                *self.table.start(game),
                own,
                judge,
                self.wide,
                worth,
                generator(2, game),
                self.table.rooms,
                self.found,
            )
            if count > 0:
                self.found.about["game"][:count] = game
                parts.append(Decisions(*(array[:count].copy() for array in self.found)))
        return Decisions(*map(np.concatenate, zip(*parts, strict=True)))


def _save(path: Path, found: Decisions) -> None:
    with path.open("wb") as stream:
        np.savez(stream, **found._asdict())


def missing(folder: Path, first: int, games: int) -> Iterator[tuple[range, Path]]:
    """The chunks of games that have no file yet."""
    for chunk in chunks_of(first, games, CHUNK):
        file = folder / f"{chunk.start:09d}.npz"
        if not file.exists():
            yield chunk, file


def main() -> None:
    """Plays games and writes their decisions."""
    parser = reporting.arguments(__doc__, "few games")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--player", type=player, default="strongest", help="whose games are played")
    parser.add_argument(
        "--judge",
        type=player,
        default="strongest:endgame_layouts=400",
        help="who plays the candidates out",
    )
    parser.add_argument("--level", choices=LEVELS, default="expert")
    parser.add_argument("--start", choices=[s.value for s in Start], default="safe")
    parser.add_argument("--games", type=whole_number(1, 2**29), default=50_000)
    parser.add_argument("--first", type=whole_number(0, 2**29), default=0, help="the first game")
    parser.add_argument("--draws", type=whole_number(2, 1000), default=4, help="layouts a decision")
    parser.add_argument(
        "--compared", type=whole_number(2, 64), default=10, help="the most candidates"
    )
    parsed = parser.parse_args()
    opening = Opening.of(LEVELS[parsed.level], Start(parsed.start))
    sides = Sides(parsed.judge, parsed.player)
    worth = observe(lambda: Table(opening, sides, parsed.draws))
    parsed.folder.mkdir(parents=True, exist_ok=True)
    own = threading.local()

    def work(chunk: range, file: Path) -> int:
        if not hasattr(own, "collector"):
            own.collector = Collector(opening, sides, parsed.compared, parsed.draws)
        found = own.collector.collect(chunk, worth)
        # NumPy adds an ending to a name without one, so it gets an open file.
        write_atomically(file, lambda path: _save(path, found))
        return len(chunk)

    games = CHUNK if parsed.quick else parsed.games
    todo = list(missing(parsed.folder, parsed.first, games))
    with Progress() as bar, ThreadPoolExecutor(machine.cores()) as pool:
        task = bar.add_task("games", total=sum(len(chunk) for chunk, _ in todo))
        for done in pool.map(lambda item: work(*item), todo):
            bar.advance(task, done)


if __name__ == "__main__":
    main()
