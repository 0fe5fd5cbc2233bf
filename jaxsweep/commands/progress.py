"""The progress bar of commands that work through a number of things."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def counting_bar(what: str) -> Progress:
    """Makes a bar that counts things, on the terminal's error output; none where there is none."""
    console = Console(stderr=True)
    return Progress(
        TextColumn(what),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
