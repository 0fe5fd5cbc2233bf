"""Grades the games in files: in this process, or many on all cores; what is done can be kept."""

import hashlib
import json
import multiprocessing
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from jaxsweep.formats import read, read_source
from jaxsweep.formats.conversion import as_game, as_replay, games_in
from jaxsweep.rules.level import Start
from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.files import write_atomically
from jaxsweep.runtime.folders import claim_folder
from jaxsweep.runtime.version import __version__
from jaxsweep.runtime.worker_processes import begin_worker, end_workers, starting_workers
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.single.grading.report import graded_game
from jaxsweep.single.native_candidates import is_compiled, prepared_shortcuts

FEW = 3
"""Files that are graded in this process: others would take longer to start."""

MANY = 40
"""Files for each process from which on it loads machine code, if that was compiled before: it takes
as long as to grade ten games without."""

FIELDS = {"file", "number", "player", "outcome", "moves", "metrics"}
"""Some of what is kept of every game: files without are not what this program wrote."""

Graded = list[dict[str, Any]]
"""The graded games of one file, as plain data."""


class GradeError(UserError):
    """A file that cannot be graded, or a folder that holds other results."""


class Outcome(NamedTuple):
    """What became of a file."""

    source: str
    games: Graded
    error: str | None = None
    """Why it, or some of its games, could not be graded."""
    content: str = ""
    """A name of what it holds: files of the same name hold the same."""


def grade_all(sources: Sequence[str], start: Start | None, out: Path | None) -> Iterator[Outcome]:
    """Grades files, and yields what became of them, in order; many are graded on all cores.

    Where `out` is a folder, results are kept there, and those that it holds are not made again.
    """
    if out is not None:
        settings = {"start": None if start is None else start.value, "version": __version__}
        claim_folder(out / "grades.json", {"settings": settings}, "grades", GradeError)
    if len(sources) <= FEW:
        for source in sources:
            yield _grade_one(source, start, out)
        return
    spawn = multiprocessing.get_context("spawn")
    workers = min(os.cpu_count() or 1, len(sources))
    is_many = len(sources) >= MANY * workers
    pool = ProcessPoolExecutor(workers, spawn, _be_ready, (is_many,))
    try:
        with starting_workers():
            waiting = deque(pool.submit(_grade_one, source, start, out) for source in sources)
        while waiting:  # In the order of the files, whichever is done first.
            yield waiting.popleft().result()
    except BrokenExecutor as error:
        what = "a process that graded games has ended: was there too little memory?"
        raise GradeError(what) from error
    finally:
        end_workers(pool)  # After Ctrl-C, nobody waits for what is being graded.


_shortcuts: Shortcuts | None = None
"""The machine code, in a process that has loaded it."""


def _be_ready(is_many: bool) -> None:
    """Prepares a process for files, or for many files."""
    global _shortcuts
    begin_worker()
    if is_many and is_compiled():
        _shortcuts = prepared_shortcuts()


def _grade_one(source: str, start: Start | None, out: Path | None) -> Outcome:
    """Grades the games of a file, or reads what was kept of it."""
    games: Graded = []
    try:
        data, name = read_source(source)
        key = _key(data)
        kept = None if out is None else out / f"{key}.json"
        known = None if kept is None else _read_kept(kept)
        if known is not None:
            return Outcome(source, [game | {"file": source} for game in known], content=key)
        games.extend(grade_source(data, name, source, start))
    except UserError as error:
        return Outcome(source, games, str(error))
    except OSError as error:
        return Outcome(source, games, f"{source}: {error.strerror or error}")
    if kept is not None:
        text = json.dumps(games) + "\n"
        write_atomically(kept, lambda part: part.write_text(text, "utf-8"))
    return Outcome(source, games, content=key)


def _read_kept(file: Path) -> Graded | None:
    """Returns the grades that were kept; None if there are none, or the file is damaged."""
    try:
        games = json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    whole = isinstance(games, list) and games and all(isinstance(game, dict) for game in games)
    return games if whole and all(game.keys() >= FIELDS for game in games) else None


def _key(data: bytes) -> str:
    """Names the results of a file by its content: it may be renamed."""
    return hashlib.sha256(data).hexdigest()[:24]


def grade_source(data: bytes, name: str, source: str, start: Start | None) -> Iterator[dict]:
    """Yields each game of a file, graded; raises `UserError` if one cannot be, after all others."""
    contents = read(data, name)
    games = games_in(contents)
    if not games:
        raise GradeError(f"{name}: a position, not a game: there are no moves to grade")
    counter = Counter()  # Games of one board share components.
    problem = None
    for number, content in enumerate(games, start=1):
        which = name if len(games) == 1 else f"{name}: game {number}"
        try:
            replay = as_replay(content)
            if not any(move.cells for move in replay.moves):
                raise GradeError("a board without clicks: there are no moves to grade")
            found = graded_game(replay, as_game(content), start, counter, _shortcuts)
        except UserError as error:
            problem = problem or GradeError(f"{which}: {error}")
            continue
        yield {"file": source, "number": number} | found
    if problem is not None:
        raise problem
