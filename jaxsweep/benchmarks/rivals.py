"""Any program that plays games, timed: `python -m jaxsweep.bench --peers --rival CMD`.

A rival runs for many games and for few, and its speed is that of the difference: its start-up is in
both times. Our player plays in the arena in between, so that both sides meet the same noise.

JAX is imported by what plays our games: a rival that does not run is refused without.
"""

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from jaxsweep.rules.level import Opening
from jaxsweep.runtime.errors import UserError
from jaxsweep.simulation.statistics import wilson
from jaxsweep.single.words import count

GAMES = "{games}"
"""What stands for the number of games in the command of a rival."""

DEFAULT_GAMES, DEFAULT_REPEATS = 2000, 3

SHORT = 10
"""The short run has one game for so many of the long one."""

SECONDS = 1.0
"""The least time of our side in each repeat: a fast player needs no more for thousands of games."""

SEED = 2026


class RivalError(UserError):
    """A rival that cannot be timed; says why."""


@dataclass(frozen=True)
class Sample:
    """Games, and how long they took."""

    games: int
    seconds: float
    """By the clock."""
    processor: float | None
    """Seconds of processor time, over all cores; None where the system does not count it."""
    won: int | None = None
    """How many games were won; None if that is not known."""


@dataclass(frozen=True)
class Speed:
    """How fast a side plays."""

    per_second: float
    """Games a second: the median over the repeats."""
    quartiles: tuple[float, float]
    busy: float | None
    """The mean number of busy cores: processor time over wall-clock time; None if unknown."""
    per_core: float | None
    """Games a second and busy core."""

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> "Speed":
        """Returns the speed of one sample per repeat."""
        rates = [sample.games / sample.seconds for sample in samples]
        low, median, high = (float(x) for x in np.percentile(rates, [25, 50, 75]))
        # Too little for the clock of the processor counts as unknown, too.
        worked = sum(sample.processor or 0.0 for sample in samples)
        busy = worked / sum(sample.seconds for sample in samples) if worked > 0 else None
        return cls(median, (low, high), busy, median / busy if busy else None)


@dataclass(frozen=True)
class WinRate:
    """Games won."""

    games: int
    won: int
    rate: float
    interval_95: tuple[float, float]

    @classmethod
    def of(cls, games: int, won: int) -> "WinRate":
        """Returns the rate, and its Wilson interval."""
        return cls(games, won, won / games, wilson(won, games))


@dataclass(frozen=True)
class Duel:
    """Our player and a rival, timed in turns."""

    rival: str
    """Its command."""
    player: str
    games: int
    """Games in a long run of the rival."""
    short_games: int
    repeats: int
    seed: int
    """The seed of our games."""
    ours: Speed
    theirs: Speed
    our_wins: WinRate | None
    """None unless that of the rival is known."""
    their_wins: WinRate | None
    """Of the last long run: a rival may play the same games in every run."""

    @property
    def ratio(self) -> float:
        """How many times as many games we play in the same time."""
        return self.ours.per_second / self.theirs.per_second

    @property
    def ratio_per_core(self) -> float | None:
        """The same per busy core; None if one of both is unknown."""
        if not self.ours.per_core or not self.theirs.per_core:
            return None
        return self.ours.per_core / self.theirs.per_core


@dataclass(frozen=True)
class Rival:
    """A program that plays as many games as its command says."""

    command: str
    words: tuple[str, ...]
    wins: re.Pattern[str] | None = None
    """Finds the number of games won in what the program prints."""

    @classmethod
    def of(cls, command: str, wins: str | None = None) -> "Rival":
        """Reads the command and the expression; raises `RivalError` if they are of no use."""
        if GAMES not in command:
            raise RivalError(f"--rival needs {GAMES} where the number of games goes: {command!r}")
        try:
            words = shlex.split(command)
        except ValueError as error:
            reason = str(error).lower().removesuffix(".")
            raise RivalError(f"--rival {command!r} is no command: {reason}") from None
        if not shutil.which(words[0]):
            raise RivalError(f"--rival: there is no program {words[0]!r} that can be run")
        return cls(command, tuple(words), None if wins is None else _read_expression(wins))

    def run(self, games: int) -> Sample:
        """Lets the program play; raises `RivalError` if it fails."""
        words = [word.replace(GAMES, str(games)) for word in self.words]
        # What nobody reads is not collected, so that it costs no time.
        output = subprocess.DEVNULL if self.wins is None else subprocess.PIPE
        worked, began = _processor_seconds(), time.perf_counter()
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise RivalError(f"the rival cannot be started: {error.strerror}") from None
        seconds = time.perf_counter() - began
        after = _processor_seconds()
        if done.returncode:
            raise RivalError(_describe_failure(done.returncode, games, done.stderr))
        return Sample(
            games,
            seconds,
            None if worked is None or after is None else after - worked,
            None if self.wins is None else count_wins(self.wins, done.stdout, games),
        )


def _read_expression(text: str) -> re.Pattern[str]:
    """Compiles a regular expression with one group."""
    try:
        expression = re.compile(text)
    except re.error as error:
        raise RivalError(f"--rival-wins {text!r} is no regular expression: {error}") from None
    if expression.groups != 1:
        raise RivalError(f"--rival-wins {text!r} needs one group, and has {expression.groups}")
    return expression


def _processor_seconds() -> float | None:
    """Returns the processor time of all programs that have ended; None if it is not available."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _describe_failure(status: int, games: int, errors: str) -> str:
    """Returns a sentence about a program that ended with this status, and its last words."""
    how = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    last = f": {lines[-1]}" if lines else ", without an error message"
    return f"the rival {how} when asked for {count(games, 'game')}{last}"


def count_wins(expression: re.Pattern[str], output: str, games: int) -> int:
    """Returns how many games were won by the last match in a program's output.

    The group of the expression is a number of games, or a percentage with its sign. Raises
    `RivalError` if it is neither, if there is no match, or if more games were won than played.
    """
    found = expression.findall(output)
    if not found:
        raise RivalError(f"--rival-wins {expression.pattern!r} is not in what the rival prints")
    text = found[-1].replace(",", "").strip()
    try:
        won = round(float(text[:-1]) / 100 * games) if text.endswith("%") else int(text)
    except (ValueError, OverflowError):
        won = -1
    if not 0 <= won <= games:
        raise RivalError(
            f"--rival-wins finds {found[-1]!r}: neither a number of games won, of "
            f"{games:,}, nor a percentage with its sign"
        )
    return won


def short_run(games: int) -> int:
    """Returns the games of the short run that goes with a long one."""
    return max(1, games // SHORT)


def without_start(long: Sample, short: Sample) -> Sample:
    """Returns the games that the long run has more than the short one, and their time alone."""
    if long.seconds <= short.seconds:
        raise RivalError(
            f"the rival took no longer for {count(long.games, 'game')} than for {short.games:,}: "
            "give it more with --rival-games"
        )
    processor = None
    if long.processor is not None and short.processor is not None:
        processor = long.processor - short.processor
    return Sample(long.games - short.games, long.seconds - short.seconds, processor)


def duel(
    rival: Rival,
    player: str,
    opening: Opening,
    batch: int | None,
    games: int,
    rounds: Iterable[int],
) -> Duel:
    """Times a player of ours and a rival in turns.

    Args:
        rival: the program.
        player: the name of our player.
        opening: the opening of our games. Which one a rival plays is a matter of its command.
        batch: how many of our games are in progress on each device; None: as the arena has it.
        games: how many games a long run of the rival has; at least two.
        rounds: an item for each repeat.

    """
    play, enough = _our_games(player, opening, batch)
    # The first call compiles; after it, games of all lengths are under way.
    play(enough)
    ours, long_runs, theirs = [], [], []
    for _ in rounds:
        short = rival.run(short_run(games))
        long_runs.append(rival.run(games))
        theirs.append(without_start(long_runs[-1], short))
        ours.append(play(max(games, enough)))
    return Duel(
        rival=rival.command,
        player=player,
        games=games,
        short_games=short_run(games),
        repeats=len(ours),
        seed=SEED,
        ours=Speed.of(ours),
        theirs=Speed.of(theirs),
        **_win_rates(ours, long_runs[-1]),
    )


def _win_rates(ours: Sequence[Sample], theirs: Sample) -> dict[str, WinRate | None]:
    """Returns the win rates of both sides; None if that of the rival is not known."""
    if theirs.won is None:
        return {"our_wins": None, "their_wins": None}
    games, won = sum(sample.games for sample in ours), sum(sample.won or 0 for sample in ours)
    return {"our_wins": WinRate.of(games, won), "their_wins": WinRate.of(theirs.games, theirs.won)}


def _our_games(
    player: str, opening: Opening, batch: int | None
) -> tuple[Callable[[int], Sample], int]:
    """Returns what plays so many games or more, and how many replace all in progress once.

    Games in progress carry over from call to call: devices are as full at the end of a call as in
    a long run. Between calls nothing is computed, and the machine is the rival's.
    """
    import jax

    from jaxsweep.simulation.device_state import slots_for
    from jaxsweep.simulation.matches import play_and_report
    from jaxsweep.strategies import STRATEGIES

    reports = play_and_report(
        STRATEGIES[player], opening, SEED, 2**31 - 1, batch, compare_losses=False
    )

    def play(games: int) -> Sample:
        played = won = 0
        worked, began = time.process_time(), time.perf_counter()
        # Whole reports: a part of one would have no time of its own.
        while played < games or time.perf_counter() - began < SECONDS:
            record = next(reports).record
            played, won = played + len(record), won + int(record.won.sum())
        seconds = time.perf_counter() - began
        return Sample(played, seconds, time.process_time() - worked, won)

    return play, (batch or slots_for(jax.local_devices()[0])) * jax.local_device_count()
