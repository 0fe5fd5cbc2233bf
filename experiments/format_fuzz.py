"""Whether damaged files of every format give a game or one sentence, and nothing else.

    python experiments/format_fuzz.py [--quick] [--files N]

Files of every format, made up, are damaged at random: bytes set, taken out, doubled, the end cut.
Each is read, and what was read is played to its last decision. Anything but a `FormatError` of one
line is a failure: another exception, more than 10 seconds, or more memory than 2 GB. Every file is
made from the seed and its number alone. Real replays are damaged as well where they are: beside
the project, or in the folder that JAXSWEEP_REPLAYS names. Writes `results/format-fuzz.json`.
"""

import resource
import signal
import sys
import time
from typing import Any, NoReturn

import numpy as np
from rich.progress import track

import reporting
from jaxsweep.formats import FormatError, read, recognise
from jaxsweep.formats.conversion import last_decision
from tests.format_oracle import REPLAYS
from tests.format_samples import damaged, samples

SEED = 61
FILES, QUICK_FILES = 100_000, 2_000
GAMES = 24
"""Made-up games, each of which is a file in every format."""

SECONDS = 10
MEMORY = 2**31
LONGEST_SENTENCE = 500
OUTCOMES = ("read", "sentence", "failure")


def whole_files() -> list[tuple[str, bytes]]:
    """All files before they are damaged, with the names of their formats."""
    files = [item for seed in range(GAMES) for item in samples(seed).items()]
    for path in sorted(REPLAYS.iterdir()) if REPLAYS.is_dir() else ():
        data = path.read_bytes()
        try:
            files.append((f"real {recognise(data)}", data))
        except FormatError:
            continue  # Something else is in the folder.
    return files


def outcome(data: bytes) -> str:
    """What reading a file comes to: "read", "sentence" or "failure"."""
    signal.alarm(SECONDS)
    try:
        for content in read(data, "file"):
            last_decision(content)
    except FormatError as error:
        is_one = "\n" not in str(error) and len(str(error)) <= LONGEST_SENTENCE
        return "sentence" if is_one else "failure"
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return "failure"
    finally:
        signal.alarm(0)
    return "read"


def stop(*_: Any) -> NoReturn:
    """Ends a file that takes too long."""
    raise TimeoutError(f"more than {SECONDS} s")


def main() -> None:
    """Reads all damaged files."""
    parser = reporting.arguments(__doc__, f"{QUICK_FILES} files")
    parser.add_argument("--files", type=int, default=FILES, help="how many files")
    parsed = parser.parse_args()
    count = QUICK_FILES if parsed.quick else parsed.files
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, stop)
    files = whole_files()
    found: dict[str, dict[str, int]] = {}
    slowest, slowest_name, began = 0.0, "", time.process_time()
    for number in track(range(count), "damaged files"):
        rng = np.random.default_rng((SEED, number))
        name, whole = files[number % len(files)]
        data = damaged(whole, rng)
        before = time.process_time()
        result = outcome(data)
        if result == "failure":
            print(f"file {number}, {name}: {data!r}", file=sys.stderr)
        if time.process_time() - before > slowest:
            slowest, slowest_name = time.process_time() - before, name
        found.setdefault(name, dict.fromkeys(OUTCOMES, 0))[result] += 1
    total = {key: sum(each[key] for each in found.values()) for key in OUTCOMES}
    summary = {
        "files": count,
        "games": total["read"],
        "sentences": total["sentence"],
        "failures": total["failure"],
        "slowest file, processor seconds": round(slowest, 4),
        "its format": slowest_name,
        "processor seconds": round(time.process_time() - began, 1),
        "peak memory, MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "by format": dict(sorted(found.items())),
    }
    print(summary)
    if not parsed.quick:
        origin = reporting.origin(seed=SEED, limit_seconds=SECONDS, limit_bytes=MEMORY)
        reporting.write("format-fuzz", origin | summary)
    sys.exit(1 if total["failure"] else 0)


if __name__ == "__main__":
    main()
