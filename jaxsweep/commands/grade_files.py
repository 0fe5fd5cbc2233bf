"""Grades the games in files: in this process, or many on all cores; what is done can be kept."""

import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
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
from jaxsweep.single.grading.report import graded_game

FEW = 3
"""Files that are graded in this process: others would take longer to start."""

Graded = list[dict[str, Any]]
"""The graded games of one file, as plain data."""


class GradeError(UserError):
    """A file that cannot be graded, or a folder that holds other results."""


class Outcome(NamedTuple):
    """What became of a file."""

    source: str
    games: Graded
    error: str | None = None
    """Why it could not be graded."""


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
    pool = ProcessPoolExecutor(workers, mp_context=spawn, initializer=begin_worker)
    try:
        with starting_workers():
            waiting = [pool.submit(_grade_one, source, start, out) for source in sources]
        for done in waiting:  # In the order of the files, whichever is done first.
            yield done.result()
    finally:
        end_workers(pool)  # After Ctrl-C, nobody waits for what is being graded.


def _grade_one(source: str, start: Start | None, out: Path | None) -> Outcome:
    """Grades the games of a file, or reads what was kept of it."""
    try:
        data, name = read_source(source)
        kept = None if out is None else out / f"{_key(data)}.json"
        if kept is not None and kept.exists():
            games = json.loads(kept.read_text("utf-8"))
            return Outcome(source, [game | {"file": source} for game in games])
        games = list(grade_source(data, name, source, start))
    except UserError as error:
        return Outcome(source, [], str(error))
    except OSError as error:
        return Outcome(source, [], f"{source}: {error.strerror or error}")
    if kept is not None:
        text = json.dumps(games) + "\n"
        write_atomically(kept, lambda part: part.write_text(text, "utf-8"))
    return Outcome(source, games)


def _key(data: bytes) -> str:
    """Names the results of a file by its content: it may be renamed."""
    return hashlib.sha256(data).hexdigest()[:24]


def grade_source(data: bytes, name: str, source: str, start: Start | None) -> Iterator[dict]:
    """Yields each game of a file, graded; raises `UserError` if there is none with moves."""
    contents = read(data, name)
    games = games_in(contents)
    if not games:
        raise GradeError(f"{name}: a position, not a game: there are no moves to grade")
    for number, content in enumerate(games, start=1):
        replay = as_replay(content)
        if not any(move.cells for move in replay.moves):
            raise GradeError(f"{name}: a board without clicks: there are no moves to grade")
        about = {"file": source, "number": number}
        yield about | graded_game(replay, as_game(content), start)
