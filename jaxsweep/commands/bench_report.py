"""What `python -m jaxsweep.bench` prints: a table for each kind of result, at 80 columns."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as TextTable
from rich.text import Text

from jaxsweep.benchmarks.catalogue import BENCHMARKS, OPENINGS
from jaxsweep.benchmarks.rivals import Duel, Speed, WinRate
from jaxsweep.runtime import machine
from jaxsweep.single.words import count

if TYPE_CHECKING:
    from jaxsweep.benchmarks.peers import Comparison
    from jaxsweep.benchmarks.profile import Profile
    from jaxsweep.benchmarks.timing import Timing

SHOWN = "NVIDIA A100 40GB"
"""The accelerator whose modelled times are in the table of kernels; the file has all."""


def report_profile(found: "Profile", level: str) -> None:
    """Prints how the time of a player's games divides."""
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(
        f"{found.player}, {level}: {found.games_per_second:,.0f} games a second, "
        f"{found.busy:.2f} cores busy"
    )
    table = TextTable(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("part", no_wrap=True)
    for column in ("share", "µs a game"):
        table.add_column(column, justify="right", no_wrap=True)
    busy = found.busy / found.games_per_second * 1e6
    for name, share in sorted(found.shares.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{share:.1%}", f"{share * busy:,.0f}")
    console.print(table)


def report_peers(found: "list[Comparison]", missing: list[str]) -> None:
    """Prints the comparison with each library as a sentence."""
    for each in found:
        print(
            f"{each.what}: {each.ours:,.0f} a second, {each.peer} {each.theirs:,.0f}: "
            f"{each.ratio:.1f} times as many"
        )
    for name in missing:
        print(f"{name} is not installed: no comparison")


def report_rival(duel: Duel, level: str) -> None:
    """Prints the comparison with a rival as a table, and the ratio as a sentence."""
    opening, console = OPENINGS[level], Console(highlight=False, markup=False, emoji=False)
    table = TextTable(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("games a second", no_wrap=True)
    for column in ("median", "middle half", "busy", "per busy core"):
        table.add_column(column, justify="right", no_wrap=True)
    if duel.their_wins:
        table.add_column("won", justify="right", no_wrap=True)
    table.add_row(duel.player, *_speed_cells(duel.ours), *_win_cells(duel.our_wins))
    table.add_row("the rival", *_speed_cells(duel.theirs), *_win_cells(duel.their_wins))
    # The command may hold brackets, which are markup to the console unless they are a Text.
    console.print(Text(f"the rival: {duel.rival}"))
    runs = f"{count(duel.games, 'game')} less {duel.short_games:,}"
    console.print(f"its runs: {runs}, {count(duel.repeats, 'repeat')}")
    console.print(f"our games: {level}, {opening.level}, {opening.start.value} start")
    console.print(table)
    per_core = duel.ratio_per_core
    console.print(
        f"{duel.player} plays {_figure(duel.ratio)} times as many games a second as the rival"
        + (f",\n{_figure(per_core)} times as many per busy core" if per_core else "")
    )


def _speed_cells(speed: Speed) -> list[str]:
    """Returns a side's speed as cells of a table; what is unknown is a dash."""
    return [
        _figure(speed.per_second),
        " – ".join(_figure(rate) for rate in speed.quartiles),
        "–" if speed.busy is None else f"{speed.busy:.2f}",
        "–" if speed.per_core is None else _figure(speed.per_core),
    ]


def _win_cells(wins: WinRate | None) -> list[str]:
    """Returns a side's win rate with half of its interval; no cell without one."""
    if wins is None:
        return []
    low, high = wins.interval_95
    return [f"{wins.rate:.2%} ± {(high - low) / 2:.2%}"]


def _figure(number: float) -> str:
    """Returns a positive number with its first three digits, or with all before the point."""
    return f"{number:,.{max(0, 2 - math.floor(math.log10(number)))}f}"


def report_timings(timings: "list[Timing]") -> None:
    """Prints the timings as a table."""
    where = machine.facts()
    # Seven columns within 80 characters: no frame, and only the first digits of the signature.
    table = TextTable(
        box=box.SIMPLE_HEAD,
        padding=0,
        title="µs a board",
        caption=f"{where['cores']} cores of {where['cpu']}, {where['device']} device, "
        f"jax {where['jax']}, Python {where['python']}",
    )
    for column in ("benchmark", "level", "batch"):
        table.add_column(column, no_wrap=True)
    for column in ("median", "middle half", "busy"):
        table.add_column(column, justify="right", no_wrap=True)
    signed = any(timing.signature for timing in timings)
    if signed:
        table.add_column("signature")
    for timing in timings:
        low, high = timing.quartiles
        table.add_row(
            timing.benchmark,
            timing.level,
            str(timing.batch),
            f"{timing.median:.2f}",
            f"{low:.2f} – {high:.2f}",
            f"{timing.busy:.2f}",
            *([(timing.signature or "")[:8]] if signed else []),
        )
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(table)
    for timing in timings:
        if timing.per_second:
            rate = f"{timing.per_second:,.0f} {timing.unit} a second"
            console.print(f"{timing.benchmark}, {timing.level}: {rate}")
        limit = BENCHMARKS[timing.benchmark].limit
        if limit is not None:
            took = f"{timing.processor / 1000:.1f} ms of processor time"
            found = "within" if timing.processor <= limit else "over"
            what = f"{timing.benchmark}, {timing.level}"
            console.print(f"{what}: {took}, {found} its {limit / 1000:.0f} ms")


def report_accelerator(result: dict[str, Any], file: Path) -> None:
    """Prints counted work, measured and modelled times, and whole games."""
    console, bucket = Console(highlight=False, markup=False, emoji=False), result["bucket"]
    table = TextTable(box=box.SIMPLE_HEAD, padding=0, title=f"a bucket of {bucket:,} games, expert")
    table.add_column("kernel", no_wrap=True)
    for column in ("Mops", "MB", "launches", "decided", "µs here", "µs A100", "bound"):
        table.add_column(column, justify="right", no_wrap=True)
    rows = [(kernel["name"], kernel) for kernel in result["kernels"]]
    for name, found in [*rows, ("a guess: both", result["guess"])]:
        work, time = found["work"], found["modelled"][SHOWN]
        table.add_row(
            name,
            f"{found['mega_operations']:,.1f}",
            f"{found['megabytes']:,.1f}",
            f"{work['launches']:,.0f}",
            f"{work['decisions']:,.0f}",
            f"{found['microseconds']:,.0f}",
            f"{time['microseconds']:,.0f}",
            time["bound"],
        )
    console.print(table)
    games, inference = result["games"], result["inference_per_second"]
    work, time = games["work"], games["modelled"][SHOWN]
    console.print(
        f"a game of {games['player']}: {games['mega_operations']:,.2f} Mops, "
        f"{games['megabytes']:,.2f} MB, {work['launches']:,.2f} launches,\n"
        f"{work['decisions']:,.2f} decisions"
        + (f"; a guess has {fill:.0%} of its bucket" if (fill := games["guess_fill"]) else "")
    )
    console.print(
        f"games a second: {games['games_per_second']:,.0f} here, "
        f"{games['modelled_games_per_second'][SHOWN]:,.0f} modelled on {SHOWN} ({time['bound']})"
    )
    console.print(
        f"inferences a second: {inference['measured']:,.0f} here, "
        f"{inference['modelled'][SHOWN]:,.0f} modelled on {SHOWN}"
    )
    console.print(f"memory of the arena's program: {games['memory_megabytes']:,.0f} MB")
    this = result["kernels"][0]["modelled"]["this device"]
    known = "in the model's table" if this else "not in the model's table"
    # The name of a file or a device may hold brackets, which are markup to the console.
    console.print(Text(f"this device: {result['device_kind']}, {known}\nwritten: {file}"))
