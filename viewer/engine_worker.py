"""The engine in a worker process: the window stays responsive while it computes or compiles."""

import itertools
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import partial

from jaxsweep.rules.board import Mask
from jaxsweep.rules.level import Opening
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.runtime.worker_processes import begin_worker, end_workers, starting_workers
from jaxsweep.single.grading import grade
from jaxsweep.single.replay import RecordedMove, recorded_moves
from jaxsweep.single.watch import WatchedMove, watch
from viewer import events
from viewer.analysis_result import analyse_position, count_numbers
from viewer.dealer import Dealer
from viewer.effects import Analyse, CountNumbers, DealBoard, GradeGame, WatchGame
from viewer.events import Event

PlayedMove = tuple[RecordedMove, Mask, float | None]
"""A move, the mines, and the win probability before the move, where the player estimated it."""

_games: dict[tuple[int, str, Opening, int], Iterator[PlayedMove]] = {}
"""In the worker process: the game that is watched, by the arguments of `next_move`."""


def next_move(run: int, strategy: str, opening: Opening, seed: int) -> PlayedMove | None:
    """Returns the next move of a watched game, None after the last; a new run ends the others."""
    about = (run, strategy, opening, seed)
    if about not in _games:
        _games.clear()
        _games[about] = _played_moves(watch(strategy, opening, seed))
    return next(_games[about], None)


def _played_moves(watched: Iterator[WatchedMove]) -> Iterator[PlayedMove]:
    """Yields the recorded moves, each with what its player thought of the position."""
    first, second = itertools.tee(watched)
    for (recorded, mines), move in zip(recorded_moves(first), second, strict=False):
        yield recorded, mines, None if move.advice is None else move.advice.win


def _initialise() -> None:
    """In the worker process."""
    begin_worker()
    use_cache()


def _be_ready() -> None:
    """In the worker process: does nothing, but this module is imported with all that it needs."""


def engine_process() -> ProcessPoolExecutor:
    """Starts a process for the engine."""
    spawn = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(1, mp_context=spawn, initializer=_initialise)
    # The process starts with its first task: now, and not with the first question of a person.
    with starting_workers():
        executor.submit(_be_ready)
    return executor


class EngineWorker:
    """Runs one task at a time; of the questions of a kind that wait, only the latest is run."""

    def __init__(self, start: Callable[[], Executor] = engine_process):
        self._start = start
        self._restart()

    def _restart(self) -> None:
        """Starts a new process with no tasks."""
        self._executor = self._start()
        self._analysis: Future | None = None
        self._waiting: Analyse | None = None
        self._count: Future | None = None
        self._to_count: CountNumbers | None = None
        self._watched: WatchGame | None = None
        self._move: Future | None = None
        self._moves = 0
        self._to_grade: GradeGame | None = None
        self._grading: tuple[GradeGame, Future] | None = None
        self._dealer = Dealer(self._start)

    def analyse(self, effect: Analyse) -> None:
        """Analyses a position as soon as the current analysis is done."""
        self._waiting = effect

    def count(self, effect: CountNumbers) -> None:
        """Counts what a cell would show, once the board is analysed."""
        self._to_count = effect

    def watch(self, effect: WatchGame) -> None:
        """Plays a game move by move, and drops the one before."""
        self._watched, self._move, self._moves = effect, None, 0

    def grade(self, effect: GradeGame) -> None:
        """Grades a replay, and drops the one before."""
        self._to_grade, self._grading = effect, None

    def deal(self, effect: DealBoard) -> None:
        """Deals a board, beside all other tasks, and drops the one before."""
        self._dealer.deal(effect)

    def stop_dealing(self) -> None:
        """Gives up the board that is being dealt."""
        self._dealer.stop()

    def poll(self) -> list[Event]:
        """Returns the results since the last call without waiting, and submits what is next."""
        try:
            return self._poll() + self._dealer.poll()
        except (BrokenExecutor, OSError) as error:
            # A new process for further tasks; those of the old one are lost.
            self.close()
            self._restart()
            return [events.EngineFailed(f"the engine ended: {error}")]

    def _poll(self) -> list[Event]:
        found: list[Event] = []
        if self._analysis is not None and self._analysis.done():
            done, self._analysis = self._analysis, None
            found.append(_event_of(done, events.AnalysisReady))
        if self._waiting is not None and self._analysis is None:
            task, self._waiting = self._waiting, None
            self._analysis = self._executor.submit(analyse_position, task.grid, task.mines)
        if self._count is not None and self._count.done():
            done, self._count = self._count, None
            found.append(_event_of(done, events.NumbersCounted))
        if self._to_count is not None and self._count is None and self._analysis is None:
            cell, self._to_count = self._to_count, None
            self._count = self._executor.submit(count_numbers, cell.grid, cell.mines, cell.cell)
        if self._grading is not None and self._grading[1].done():
            (about, done), self._grading = self._grading, None
            found.append(_event_of(done, partial(events.Graded, about.replay)))
        # After the analysis of the board that is shown, which takes less.
        if self._to_grade is not None and self._analysis is None:
            about, self._to_grade = self._to_grade, None
            self._grading = (about, self._executor.submit(grade, about.replay))
        game = self._watched
        if game is None:
            return found
        if self._move is not None and self._move.done():
            done, self._move = self._move, None
            found.append(_event_of(done, self._move_played))
        # One task at a time: an analysis of the board goes before the next move.
        if self._watched is not None and self._move is None and self._analysis is None:
            about = (game.run, game.strategy, game.opening, game.seed)
            self._move = self._executor.submit(next_move, *about)
        return found

    def _move_played(self, result: PlayedMove | None) -> Event:
        game, number = self._watched, self._moves
        assert game is not None
        if result is None:
            self._watched = None
            return events.MovePlayed(game.run, number, None)
        self._moves += 1
        move, mines, win = result
        return events.MovePlayed(game.run, number, move, mines if number == 0 else None, win)

    def close(self) -> None:
        """Ends the worker processes, whatever they do."""
        end_workers(self._executor)
        self._dealer.close()


def _event_of(future: Future, event: Callable[..., Event]) -> Event:
    """Wraps a result in its event; the error of a task that failed becomes `EngineFailed`."""
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        raise error
    if error is not None:
        return events.EngineFailed(f"the engine failed: {error}")
    return event(future.result())
