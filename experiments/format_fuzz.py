"""Whether damaged files of every format give a game or one sentence, and nothing else.

    python experiments/format_fuzz.py [--quick] [--files N]

Files of every format, made up, are damaged at random. Of four files, two have bytes set, taken out
or doubled, or the end cut; one has a wrong number in its header; one has both, or a part of it that
comes again and again. Each is read, and what was read is played to its last decision. Then long
files, of 16 MB and 64 MB, are read: of each file, a few bytes that come again and again. Anything
but a `FormatError` of one line is a failure: another exception, more than 10 seconds of the
processor, or more memory than 2 GB. Every file is made from the seed and its number alone. Real
replays are damaged as well where they are: beside the project, or in the folder that
JAXSWEEP_REPLAYS names. Writes `results/format-fuzz.json`.
"""

import resource
import signal
import sys
import time
from typing import Any, Literal, NoReturn

import numpy as np
from rich.progress import track

import reporting
from jaxsweep.formats import FormatError, read, recognise
from jaxsweep.formats.conversion import last_decision
from tests.format_oracle import REPLAYS
from tests.format_samples import damaged, samples, stretched, with_a_wrong_number

SEED = 61
FILES, QUICK_FILES = 100_000, 2_000
GAMES = 24
"""Made-up games, each of which is a file in every format."""

LONG, QUICK_LONG = 300, 6
LONG_SIZES = (2**24 - 2**16, 2**26 - 2**16)
"""About the largest files that are read, of most formats and of any."""

SECONDS = 10
MEMORY = 2**31
LONGEST_SENTENCE = 500
Outcome = Literal["read", "sentence", "failure"]
OUTCOMES: tuple[Outcome, ...] = ("read", "sentence", "failure")


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


def damage(number: int, whole: bytes, rng: np.random.Generator) -> bytes:
    """One of the files of less than 100 kB."""
    match number % 4:
        case 0 | 1:
            return damaged(whole, rng)
        case 2:
            return with_a_wrong_number(whole, rng)
    if rng.random() < 0.1:
        return stretched(whole, rng, int(rng.integers(2**10, 2**16)))
    return damaged(with_a_wrong_number(whole, rng), rng)


def outcome(data: bytes) -> Outcome:
    """What reading a file comes to."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
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
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "read"


def stop(*_: Any) -> NoReturn:
    """Ends a file that takes too long."""
    raise TimeoutError(f"more than {SECONDS} s")


class Slowest:
    """The file that took the most processor time."""

    def __init__(self) -> None:
        self.seconds, self.name = 0.0, ""

    def outcome(self, name: str, data: bytes) -> Outcome:
        """Reads a file of this format; returns what it comes to."""
        before = time.process_time()
        result = outcome(data)
        seconds = time.process_time() - before
        if seconds > self.seconds:
            self.seconds, self.name = seconds, name
        return result


def peak_memory() -> int:
    """The most memory that the process has had, in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    """Reads all damaged files."""
    parser = reporting.arguments(__doc__, f"{QUICK_FILES} files")
    parser.add_argument("--files", type=int, default=FILES, help="how many files")
    parsed = parser.parse_args()
    count = QUICK_FILES if parsed.quick else parsed.files
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, stop)
    files = whole_files()
    found: dict[str, dict[Outcome, int]] = {}
    slowest, began = Slowest(), time.process_time()
    for number in track(range(count), "damaged files"):
        rng = np.random.default_rng((SEED, number))
        name, whole = files[number // 4 % len(files)]
        result = slowest.outcome(name, damage(number, whole, rng))
        if result == "failure":
            print(f"file {number}, {name}", file=sys.stderr)
        found.setdefault(name, dict.fromkeys(OUTCOMES, 0))[result] += 1
    memory = peak_memory()
    slowest_long, found_long = Slowest(), dict.fromkeys(OUTCOMES, 0)
    for number in track(range(QUICK_LONG if parsed.quick else LONG), "long files"):
        rng = np.random.default_rng((SEED, count + number))
        name, whole = files[int(rng.integers(len(files)))]
        data = stretched(whole, rng, LONG_SIZES[number % 2])
        result = slowest_long.outcome(name, data)
        if result == "failure":
            print(f"long file {number}, {name}", file=sys.stderr)
        found_long[result] += 1
    total = {key: sum(each[key] for each in found.values()) for key in OUTCOMES}
    summary = {
        "files": count,
        "games": total["read"],
        "sentences": total["sentence"],
        "failures": total["failure"],
        "slowest file, processor seconds": round(slowest.seconds, 4),
        "its format": slowest.name,
        "peak memory, MB": memory,
        "long files": found_long,
        "slowest long file, processor seconds": round(slowest_long.seconds, 2),
        "its format, long": slowest_long.name,
        "peak memory with long files, MB": peak_memory(),
        "processor seconds": round(time.process_time() - began, 1),
        "by format": dict(sorted(found.items())),
    }
    print(summary)
    if not parsed.quick:
        origin = reporting.origin(seed=SEED, limit_seconds=SECONDS, limit_bytes=MEMORY)
        reporting.write("format-fuzz", origin | summary)
    sys.exit(1 if total["failure"] or found_long["failure"] else 0)


if __name__ == "__main__":
    main()
