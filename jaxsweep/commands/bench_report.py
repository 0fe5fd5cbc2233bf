"""What `python -m jaxsweep.bench` prints: a table for each kind of result, at 80 columns."""

import math
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table as TextTable
from rich.text import Text

from jaxsweep.benchmarks.catalogue import OPENINGS
from jaxsweep.benchmarks.rivals import Duel, Speed, WinRate
from jaxsweep.runtime import machine
from jaxsweep.single.words import count

if TYPE_CHECKING:
    from jaxsweep.benchmarks.peers import Comparison
    from jaxsweep.benchmarks.profile import Profile
    from jaxsweep.benchmarks.timing import Timing


def report_profile(found: "Profile", level: str) -> None:
    """Prints how the time of a player's games divides."""
    console = Console(highlight=False)
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
    opening, console = OPENINGS[level], Console(highlight=False)
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
    console = Console(highlight=False)
    console.print(table)
    for timing in timings:
        if timing.per_second:
            rate = f"{timing.per_second:,.0f} {timing.unit} a second"
            console.print(f"{timing.benchmark}, {timing.level}: {rate}")
