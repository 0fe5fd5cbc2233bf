"""What the HTTP server takes: latencies, many clients at once, a cold start, and any request.

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
from urllib.parse import quote

from rich.progress import track

import reporting
from jaxsweep.formats import read, writable, write
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

FEW = 32
"""Single positions where no machine code is on disk."""

WARM = 3.0
"""Seconds in which processes that have nothing to do load their machine code."""

ORDERS = (
    '{"level": "beginner", "start": "zero", "seed": 5, "max_rule": "pair", "certificate": true}',
    '{"rows": 8, "cols": 8, "mines": 10, "difficulty": [10, 60], "repair": "if-rare"}',
)
"""Orders of boards, that are damaged."""

QUERIES = (
    "level=mini&start=zero&row=3&col=4&seed=5&game=2",
    "rows=8&cols=9&mines=10&start=any&seed=5",
)
"""Games that are dealt, and watched."""

ODD = (None, True, -1, 0, 9, 0.5, 2**70, 1e308, "", "H", "\ud800", "9" * 5000, [], {}, [[]], [0])
"""What values of JSON bodies are replaced by."""

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
def server(cache: str | None = None) -> Iterator[tuple[int, float]]:
    """Starts a server; yields its port, and the seconds until it answered with its page.

    Compiled code is in the folder `cache`, or else in the usual one.
    """
    own = {} if cache is None else {"JAX_COMPILATION_CACHE_DIR": cache}
    began = time.perf_counter()
    command = [sys.executable, "-m", "jaxsweep.serve", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | own
    ) as process:
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


def with_another_value(draw: random.Random, body: bytes) -> bytes:
    """Returns JSON in which one value is another, of the wrong kind or out of any range."""
    data = json.loads(body)
    holder = data
    while True:
        key = draw.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or draw.random() < 0.2:
            holder[key] = draw.choice(ODD)
            return json.dumps(data).encode()
        holder = inner


def requests_to_damage(positions: list[GridPosition]) -> list[tuple[str, str, bytes]]:
    """Returns requests of every path that has a query or a body: path, query, body."""
    replay = json.dumps(replay_to_json(record("random", Opening.of(LEVELS["mini"]), SEED)))
    game = replay.encode()
    files = [game, gzip.compress(game)]
    files += [write(name, read(game)[0]) for name in ("evf", "rmv", "board", "mbf", "rawvf")]
    found = [("/boards", "", order.encode()) for order in ORDERS]
    for path in ("/replay/check", "/replay/info", "/replay/grade"):
        found += [(path, "", file) for file in files]
    for to in writable():
        found += [("/convert", f"to={to}&game=1", file) for file in files[:3]]
    found += [("/analyze", "move=3&game=1", file) for file in files[:3]]
    for position in positions[:8]:
        text, fields = to_text(position), json.loads(to_json(position))
        bodies = [text, json.dumps(fields), json.dumps([fields, text]), text + text]
        bodies += [json.dumps(text), json.dumps(tiles_of(position))]
        found += [("/analyze", "", body.encode()) for body in bodies]
        found.append(("/analyze", "", write("jsminesweeper", position)))
        found.append(("/analyze/cell", "row=3&col=4", text.encode()))
    for query in QUERIES:
        found += [("/deal", query, b""), ("/watch", f"{query}&player=random", b"")]
    return found


def tiles_of(position: GridPosition) -> dict:
    """Returns a position as a message of mspe.node."""
    rows, cols = position.grid.shape
    tiles = [
        {"x": col, "y": row, "value": int(position.grid[row, col])}
        for row in range(rows)
        for col in range(cols)
        if position.grid[row, col] >= 0
    ]
    return {"board": {"width": cols, "height": rows, "mines": position.mines}, "tiles": tiles}


def fuzz(port: int, positions: list[GridPosition], count: int) -> dict:
    """Sends damaged requests; returns how often each status came, and the longest answer.

    Nothing may be an error of the server but 503, which says that it is busy or took too long, and
    what is wrong is said in a sentence.
    """
    draw, longest, on = random.Random(SEED), 0.0, connection(port)
    requests = requests_to_damage(positions)
    statuses: dict[str, Counter[int]] = {}
    # As many of each path.
    paths = sorted({path for path, _, _ in requests})
    for i in track(range(count), "damaged requests"):
        path = paths[i % len(paths)]
        _, query, body = draw.choice([one for one in requests if one[0] == path])
        if body[:1] in (b"{", b"[") and draw.random() < 0.5:
            body = with_another_value(draw, body)
        elif body and (not query or draw.random() < 0.8):
            body = damaged(draw, body)
        else:
            query = quote(damaged(draw, query.encode()), safe="=&")
        began = time.perf_counter()
        method = "GET" if path in ("/deal", "/watch") else "POST"
        status, answer = ask(on, method, f"{path}?{query}", body)
        longest = max(longest, time.perf_counter() - began)
        statuses.setdefault(path, Counter())[status] += 1
        assert status < 500 or status == 503, (path, query, body, answer)
        assert status == 200 or set(json.loads(answer)) == {"error"}, (path, query, body, answer)
    return {
        "bodies": count,
        "statuses": {
            path: {str(status): number for status, number in sorted(found.items())}
            for path, found in sorted(statuses.items())
        },
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


def without_machine_code(texts: list[bytes]) -> dict:
    """Measures a server that finds no machine code, as after an installation."""
    with tempfile.TemporaryDirectory() as cache, server(cache) as (port, _):
        on, began = connection(port), time.perf_counter()
        timed(on, texts[0])
        first = time.perf_counter() - began
        time.sleep(WARM)
        return {
            "first_answer_after_the_page_seconds": first,
            "one_position": spread([timed(on, text) for text in texts[:FEW]]),
            "many_positions": spread([timed(on, b"".join(texts)) for _ in range(3)]),
        }


def demands(result: dict, seconds: float) -> list[dict]:
    """Compares what was measured with what is demanded of a quiet machine with two cores."""
    statuses = result["load"]["statuses"]
    errors = sum(count for status, count in statuses.items() if status != "200")
    return [
        {"what": what, "measured": measured, "at_most": most, "is_met": measured <= most}
        for what, measured, most in (
            ("one position, 99 of 100, ms", result["one_position"]["percentile_99_ms"], 60),
            (f"{MANY} positions, longest, ms", result["many_positions"]["longest_ms"], 250),
            (f"errors of {CLIENTS} clients in {seconds:g} s", errors, 0),
            ("cold start, s", result["cold_start_seconds"], 2),
            ("first paint, ms", result["first_paint_ms"], 1000),
            ("answers that differ from those of analyze", result["agreement"]["differing"], 0),
        )
    ]


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
        on = connection(port)
        timed(on, texts[0])
        time.sleep(WARM)
        for text in texts:
            timed(on, text)
        result["one_position"] = spread([timed(on, text) for text in texts])
        many = b"".join(texts)
        result["many_positions"] = spread([timed(on, many) for _ in range(15)])
        result["load"] = load(port, texts, seconds)
        result["agreement"] = agreement(port, positions[:AGREEING])
        result["fuzz"] = fuzz(port, positions, bodies)
    result["without_machine_code"] = without_machine_code(texts)
    result["demands"] = demands(result, seconds)
    if not parsed.quick:
        reporting.write("serving", result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
