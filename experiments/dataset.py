"""How long a data set of expert positions takes, how large it is, and whether it is the same again.

    python experiments/dataset.py [--quick]

Makes the same data set three times, each in a folder of its own: at once, at once again, and killed
when half of it is written, then resumed. Also times what the verifier takes for an answer. Writes
`results/dataset.json`.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import reporting
from jaxsweep.datasets.prompts import answer_of, prompt_of
from jaxsweep.datasets.reading import load_dataset
from jaxsweep.datasets.settings import SHARD
from jaxsweep.datasets.verifier import verify

LEVEL, SEED, ANSWERS = "expert", 1, 2000


def command(folder: Path, positions: int) -> list[str]:
    """The command that makes the data set."""
    words = [LEVEL, "--positions", str(positions), "--seed", str(SEED), "--out", str(folder)]
    return [sys.executable, "-m", "jaxsweep.dataset", *words, "--json"]


def make(folder: Path, positions: int) -> dict[str, Any]:
    """Makes the data set, or the rest of it, and returns what the command reports."""
    words = command(folder, positions)
    done = subprocess.run(words, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return json.loads(done.stdout)


def kill_half_way(folder: Path, positions: int) -> None:
    """Begins the data set, and kills the process when half of the shards are written."""
    process = subprocess.Popen(command(folder, positions), stdout=subprocess.DEVNULL)
    half = 3 * (positions // SHARD) // 2
    while process.poll() is None and len(list(folder.glob("*.npz"))) < half:
        time.sleep(0.05)
    process.kill()
    process.wait()


def time_verifier(folder: Path) -> dict[str, float]:
    """Processor time of an answer, in microseconds: the first to a prompt, and another one."""
    data = load_dataset(folder, "test")
    rng, spent = np.random.default_rng(0), []
    for i in range(min(ANSWERS, len(data))):
        prompt, hidden = prompt_of(data.position(i)), np.argwhere(data.seen[i] < 0)
        times = [time.process_time()]
        for _ in range(2):
            row, col = rng.choice(hidden).tolist()
            verify(prompt, answer_of((row, col)))
            times.append(time.process_time())
        spent.append(np.diff(times))
    # The first one loads machine code.
    first, again = 1e6 * np.array(spent[1:]).T
    return {"first": float(np.median(first)), "first_mean": float(first.mean())} | {
        "again": float(np.median(again))
    }


def main() -> None:
    """Makes the data sets, compares them, prints and writes the result file."""
    quick = reporting.arguments(__doc__, "few positions").parse_args().quick
    positions = 2 * SHARD if quick else 100_000
    with tempfile.TemporaryDirectory() as place:
        at_once, again, killed = (Path(place) / name for name in ("once", "again", "killed"))
        whole, same = make(at_once, positions), make(again, positions)
        kill_half_way(killed, positions)
        rest = make(killed, positions)
        files = {path.name: path.read_bytes() for path in at_once.iterdir()}
        for folder in (again, killed):
            assert all((folder / name).read_bytes() == data for name, data in files.items())
        microseconds = time_verifier(at_once)
    checksums = {figures["checksum"] for figures in (whole, same, rest)}
    assert len(checksums) == 1, "the same bytes have the same checksum"
    assert 0 < rest["found"] < positions, "it was killed on the way"
    bytes_each, each = whole["bytes"] / positions, 1e3 * whole["processor_seconds"] / positions
    print(
        f"{positions:,} positions: {whole['processor_seconds']:.0f} s of processor time, "
        f"{each:.2f} ms each; {whole['bytes'] / 1e6:.1f} MB, {bytes_each:.0f} bytes each\n"
        f"resumed from {rest['found']:,} positions to the same bytes; {whole['checksum']}\n"
        f"an answer to a new prompt {microseconds['first']:.0f} µs, again "
        f"{microseconds['again']:.0f} µs"
    )
    if not quick:
        about = reporting.origin(
            about="Positions of expert games of `strongest` with labels. Times are those of two "
            "cores on which other work ran, too: processor time is what was spent.",
            seed=SEED,
        )
        result = {
            "positions": positions,
            "checksum": whole["checksum"],
            "bytes": whole["bytes"],
            "bytes_a_position": bytes_each,
            "processor_seconds": [whole["processor_seconds"], same["processor_seconds"]],
            "processor_ms_a_position": each,
            "seconds": [whole["seconds"], same["seconds"]],
            "found_after_the_kill": rest["found"],
            "totals": whole["totals"],
            "splits": whole["splits"],
            "verifier_microseconds": microseconds,
        }
        reporting.write("dataset", about | result)


if __name__ == "__main__":
    main()
