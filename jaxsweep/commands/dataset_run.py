"""The data set of `python -m jaxsweep.dataset`: made, resumed and reported."""

import json
import time
from pathlib import Path
from typing import Any

from jaxsweep.commands.progress import counting_bar
from jaxsweep.datasets.generation import generate
from jaxsweep.datasets.settings import SPLITS, DatasetSettings
from jaxsweep.datasets.store import Store


def run(folder: Path, settings: DatasetSettings, as_json: bool) -> None:
    """Makes what is missing of a data set, and reports."""
    began, worked = time.perf_counter(), time.process_time()
    store = Store(folder, settings)
    try:
        found = _make(store, settings)
    except KeyboardInterrupt:
        written = sum(block["shards"][s]["positions"] for block in store.blocks for s in SPLITS)
        print(
            f"\n{written:,} of {settings.positions:,} positions are in {folder}; "
            "the same command goes on."
        )
        raise
    names = ("command", "checksum", "totals", "splits", "versions")
    figures = {name: store.metadata[name] for name in names} | {
        "found": found,
        "bytes": sum(file.stat().st_size for file in folder.iterdir()),
        "seconds": time.perf_counter() - began,
        "processor_seconds": time.process_time() - worked,
    }
    if as_json:
        print(json.dumps(figures))
    else:
        _report(folder, settings, figures)


def _make(store: Store, settings: DatasetSettings) -> int:
    """Makes a data set, and shows a bar; returns how many positions there were before."""
    bar = counting_bar("positions")
    found = None
    with bar:
        task = bar.add_task("", total=settings.positions)
        for made in generate(store, settings):
            found = made if found is None else found
            bar.update(task, completed=made)
    assert found is not None, "it yields at least once"
    return found


def _report(folder: Path, settings: DatasetSettings, figures: dict[str, Any]) -> None:
    """Prints what a data set holds; the last line says what was done."""
    totals, opening = figures["totals"], settings.opening
    splits = ", ".join(f"{split} {figures['splits'][split]['positions']:,}" for split in SPLITS)
    print(
        f"{totals['positions']:,} positions of {opening.level}, {opening.start.value} start at "
        f"{opening.first}, seed {settings.seed}, player {settings.player}: {splits}"
    )
    print(
        f"{totals['guesses']:,} without a certain cell; win probabilities: {totals['searched']:,} "
        f"by search, {totals['estimated']:,} estimated"
    )
    print(
        f"{totals['played']:,} games played; {totals['duplicates']:,} repeated positions dropped, "
        f"{totals['left_out']:,} left out, as they exceed the capacity"
    )
    print(f"checksum {figures['checksum'][:16]}")
    made = totals["positions"] - figures["found"]
    done = "finished before; all checksums agree" if not made else f"{made:,} positions made"
    print(f"{done}, {figures['bytes'] / 1e6:.1f} MB in {folder}, {figures['seconds']:.1f} s")
