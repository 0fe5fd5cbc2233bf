"""What the HTTP server takes: latencies, many clients at once, a cold start, and any body.

    python experiments/serving.py [--quick] [--seconds S] [--bodies N]

Starts `python -m jaxsweep.serve` on loopback, with the machine code of analyses compiled. Positions
are stuck ones of expert games. Times are wall-clock milliseconds of whole requests, in a client on
the same machine: to be measured where nothing else runs. Writes `results/serving.json`.
"""

import contextlib
import gzip
import http.client
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.progress import track

import reporting
from jaxsweep.formats import read, write
from jaxsweep.rules.level import LEVELS, Opening
from jaxsweep.rules.notation import GridPosition, to_json, to_text
from jaxsweep.single.analysis import analyze
from jaxsweep.single.native_candidates import prepared_shortcuts
from jaxsweep.single.replay import record
from jaxsweep.single.replay import to_json as replay_to_json
from jaxsweep.single.watch import watch

SEED = 11
MANY = 256
"""Positions of one large request."""

AGREEING = 200
"""Positions whose answers are compared with those of `analyze`."""

CLIENTS = 50
MOST_REQUESTS = 200_000
"""A bound on the requests of the load test, beside its time."""

WARM = 3.0
"""Seconds in which processes that have nothing to do load their machine code."""

ORDERS = (
    '{"level": "beginner", "start": "zero", "seed": 5, "max_rule": "pair", "certificate": true}',
    '{"rows": 8, "cols": 8, "mines": 10, "difficulty": [10, 60], "repair": "if-rare"}',
)
"""Orders of boards, that are damaged."""

CLOSE = 1e-9
"""Win probabilities and progress in machine code are rounded differently."""

PAINT = """
import sys
from tests.browser import DESKTOP, opened

with opened(sys.argv[2]) as tab:
    tab.show(*DESKTOP)
    tab.go(sys.argv[1])
    tab.until("performance.getEntriesByName('first-contentful-paint').length")
    print(tab.run("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
"""


def stuck_positions(count: int) -> list[GridPosition]:
    """Returns positions of expert games before guesses."""
    found, seed = [], SEED
    while len(found) < count:
        before = None
        for move in watch("exact", Opening.of(LEVELS["expert"]), seed):
            if move.reason.is_guess and before is not None:
                found.append(GridPosition(before, LEVELS["expert"].mines))
            before = move.grid
        seed += 1
    return found[:count]


@contextlib.contextmanager
def server() -> Iterator[tuple[int, float]]:
    """Starts a server; yields its port, and the seconds until it answered with its page."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "jaxsweep.serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            match = re.search(r":(\d+)$", process.stdout.readline().strip())
            assert match, "the server does not start"
            port = int(match[1])
            assert ask(connection(port), "GET", "/")[0] == 200
            yield port, time.perf_counter() - began
        finally:
            process.terminate()


def connection(port: int) -> http.client.HTTPConnection:
    """Returns a connection to the server."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=120)


def ask(
    on: http.client.HTTPConnection, method: str, path: str, body: bytes | None = None
) -> tuple[int, bytes]:
    """Returns the status and the body of an answer."""
    on.request(method, path, body)
    answer = on.getresponse()
    return answer.status, answer.read()


def timed(on: http.client.HTTPConnection, body: bytes) -> float:
    """Returns the milliseconds of an analysis."""
    began = time.perf_counter()
    status, _ = ask(on, "POST", "/analyze", body)
    assert status == 200
    return 1e3 * (time.perf_counter() - began)


def spread(times: list[float]) -> dict[str, float]:
    """Summarises times in milliseconds."""
    ordered = sorted(times)
    return {
        "count": len(ordered),
        "median_ms": statistics.median(ordered),
        "percentile_99_ms": ordered[max(math.ceil(0.99 * len(ordered)) - 1, 0)],
        "longest_ms": ordered[-1],
    }


def load(port: int, bodies: list[bytes], seconds: float) -> dict:
    """Sends requests from many clients at once, each as soon as it has its last answer."""
    statuses: Counter[int] = Counter()
    times: list[float] = []
    end, lock = time.perf_counter() + seconds, threading.Lock()

    def client(number: int) -> None:
        own, on = random.Random(number), connection(port)
        while time.perf_counter() < end and len(times) < MOST_REQUESTS:
            began = time.perf_counter()
            status, _ = ask(on, "POST", "/analyze", own.choice(bodies))
            with lock:
                statuses[status] += 1
                times.append(1e3 * (time.perf_counter() - began))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "clients": CLIENTS,
        "seconds": seconds,
        "requests_per_second": len(times) / seconds,
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        **spread(times),
    }


def damaged(draw: random.Random, text: bytes) -> bytes:
    """Returns a body with bytes changed, removed or repeated."""
    data = bytearray(text)
    for _ in range(draw.choice((1, 1, 2, 8, 40))):
        place = draw.randrange(len(data)) if data else 0
        match draw.randrange(4):
            case 0:
                data[place : place + 1] = bytes([draw.randrange(256)])
            case 1:
                data[place : place + 1] = bytes([draw.choice(b'0123456789HF{}[]",:x\n.-')])
            case 2:
                del data[place : place + draw.randrange(1, 9)]
            case 3:
                data[place:place] = data[place : place + draw.randrange(12)]
    return bytes(data)


def fuzz(port: int, positions: list[GridPosition], count: int) -> dict:
    """Sends damaged bodies; returns how often each status came, and the longest answer."""
    draw, longest, on = random.Random(SEED), 0.0, connection(port)
    replay = json.dumps(replay_to_json(record("random", Opening.of(LEVELS["mini"]), SEED)))
    game = replay.encode()
    bodies = [("/replay/check", game), ("/replay/check", gzip.compress(game))]
    files = [
        write("evf", read(game)[0]),
        write("rmv", read(game)[0]),
        write("board", read(game)[0]),
    ]
    for path in ("/convert?to=evf", "/convert?to=position", "/replay/info", "/replay/grade"):
        bodies += [(path, file) for file in (game, *files)]
    bodies += [("/analyze", write("jsminesweeper", position)) for position in positions[:4]]
    bodies += [
        ("/analyze/cell?row=3&col=4", to_text(position).encode()) for position in positions[:4]
    ]
    bodies += [("/boards", order.encode()) for order in ORDERS]
    for position in positions[:8]:
        bodies += [
            ("/analyze", to_text(position).encode()),
            ("/analyze", to_json(position).encode()),
            ("/analyze/cell?row=3&col=4", to_text(position).encode()),
        ]
    statuses: Counter[int] = Counter()
    for _ in track(range(count), "damaged bodies"):
        path, body = draw.choice(bodies)
        began = time.perf_counter()
        statuses[ask(on, "POST", path, damaged(draw, body))[0]] += 1
        longest = max(longest, time.perf_counter() - began)
    return {
        "bodies": count,
        "statuses": {str(status): number for status, number in sorted(statuses.items())},
        "longest_seconds": longest,
    }


def agreement(port: int, positions: list[GridPosition]) -> dict:
    """Compares answers with `analyze`; all but rounded win probabilities must be equal."""
    on, differing, largest = connection(port), 0, 0.0
    for position in track(positions, "compared"):
        answer = json.loads(ask(on, "POST", "/analyze", to_text(position).encode())[1])
        own = analyze([position])[0].as_json()
        theirs, ours = ((data["best"] or {}).pop("candidates", []) for data in (answer, own))
        same = answer == own and len(theirs) == len(ours)
        for one, other in zip(theirs, ours, strict=False):
            for name in ("win", "progress"):
                first, second = one.pop(name), other.pop(name)
                if first != second:
                    largest = max(largest, abs(first - second))
            same = same and one == other
        differing += not same
    assert largest < CLOSE
    return {"positions": len(positions), "differing": differing, "largest_difference": largest}


def first_paint(port: int) -> float:
    """Returns the milliseconds from the request to the first text on the screen."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", PAINT, f"http://127.0.0.1:{port}/", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    return float(done.stdout)


def main() -> None:
    """Measures, prints and writes the result file."""
    parser = reporting.arguments(__doc__, "5 seconds of clients and 300 bodies")
    parser.add_argument("--seconds", type=float, default=60.0, help="of many clients at once")
    parser.add_argument("--bodies", type=int, default=10_000, help="damaged ones")
    parsed = parser.parse_args()
    seconds, bodies = (5.0, 300) if parsed.quick else (parsed.seconds, parsed.bodies)
    positions = stuck_positions(MANY)
    texts = [to_text(position).encode() for position in positions]
    prepared_shortcuts()
    result = reporting.origin(seed=SEED, level="expert", positions=MANY)
    # Above what this script uses itself, others were using the machine.
    result["load_average_before"] = os.getloadavg()[0]
    with server() as (port, start):
        # The processes are starting as well: this is what the first visitor sees.
        result["cold_start_seconds"] = start
        result["first_paint_ms"] = first_paint(port)
        time.sleep(WARM)
        on = connection(port)
        for text in texts:
            timed(on, text)
        result["one_position"] = spread([timed(on, text) for text in texts])
        many = b"".join(texts)
        result["many_positions"] = spread([timed(on, many) for _ in range(15)])
        result["load"] = load(port, texts, seconds)
        result["agreement"] = agreement(port, positions[:AGREEING])
        result["fuzz"] = fuzz(port, positions, bodies)
    if not parsed.quick:
        reporting.write("serving", result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
