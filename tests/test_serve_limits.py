"""The HTTP server and clients that would keep others out: silent ones, slow ones, too many."""

import contextlib
import multiprocessing
import socket
import subprocess
import sys
import threading

import pytest

from tests.needs import packages

packages("starlette", "uvicorn", group="serving")

from jaxsweep.serving import tasks
from jaxsweep.serving.connections import Connection, network_of
from jaxsweep.serving.limits import Limits
from tests.serving import CERTAIN, running, serving
from tests.waiting import PATIENCE

HEAD = (
    b"POST /analyze HTTP/1.1\r\nHost: localhost\r\n"
    b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n"
)


@contextlib.contextmanager
def sockets(server, count=1, source=None):
    """Connections that have sent nothing."""
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(count):
            address = None if source is None else (source, 0)
            own = socket.create_connection(
                ("127.0.0.1", server.port), PATIENCE, source_address=address
            )
            found.append(stack.enter_context(contextlib.closing(own)))
        yield found


def begin(own):
    """Sends the head of a request, and waits until its body is asked for."""
    own.sendall(HEAD % len(CERTAIN))
    assert b" 100 " in own.recv(2**16)


def finish(own):
    """Sends the body; returns the beginning of the answer."""
    own.sendall(CERTAIN.encode())
    return own.recv(2**16)


def all_of(own):
    """What the server sends until it closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := own.recv(2**16):
            found += part
    return found


# Silence.


@pytest.mark.parametrize("sent", [b"", b"GET /about HTTP/1.1\r\nHost: local"])
def test_a_head_that_does_not_come_is_given_up(sent):
    with running(Limits(head_seconds=0.1)) as server, sockets(server) as (own,):
        own.sendall(sent)
        assert all_of(own) == b""


def test_the_next_head_is_given_up_too():
    with running(Limits(head_seconds=0.1)) as server, sockets(server) as (own,):
        begin(own)
        assert finish(own).startswith(b"HTTP/1.1 200 ")
        own.sendall(b"G")
        assert b"HTTP" not in all_of(own)


def test_the_time_of_a_head_is_not_that_of_the_answer():
    with running(Limits(head_seconds=0.5)) as server, sockets(server, 2) as (busy, silent):
        begin(busy)
        assert all_of(silent) == b"", "the time of both has passed"
        assert finish(busy).startswith(b"HTTP/1.1 200 ")


# Numbers.


def test_silent_connections_keep_nobody_out():
    with running(Limits(connections=8)) as server, sockets(server, 20) as silent:
        assert server.get("/about").status == 200
        for own in silent[:12]:
            assert all_of(own) == b"", "the oldest make room"
        last = silent[-1]
        begin(last)
        assert finish(last).startswith(b"HTTP/1.1 200 ")


def test_connections_of_one_client_are_bounded():
    with running(Limits(client_connections=3)) as server, sockets(server, 3) as busy:
        for own in busy:
            begin(own)
        reply = server.get("/about")
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert reply.error == "too many connections at once: try again in a moment"
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert reply.headers["connection"] == "close"
        with contextlib.suppress(OSError), sockets(server, 1, "127.0.0.2") as (other,):
            # Some systems have no such address.
            other.sendall(b"GET /about HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert other.recv(2**16).startswith(b"HTTP/1.1 200 ")
        assert finish(busy[0]).startswith(b"HTTP/1.1 200 ")
        assert server.get("/about").status == 200, "the one that is idle now makes room"
        assert finish(busy[1]).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("a name", "a name"),
    ],
)
def test_a_client_is_an_address_or_a_network(address, network):
    assert network_of((address, 5)) == network
    assert network_of(None) is None


# Clients that do not read.


@pytest.mark.parametrize("part", [2**25, 2**16])
def test_a_client_that_takes_nothing_is_given_up(part, monkeypatch):
    """An answer in one part, which is given away at once, and a stream."""
    given_up, told, size = threading.Event(), threading.Event(), 2**25
    connection_lost = Connection.connection_lost

    def note(connection, error):
        connection_lost(connection, error)
        if connection.client == own.getsockname():
            given_up.set()

    async def large(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for begin in range(0, size, part):
            more = begin + part < size
            await send({"type": "http.response.body", "body": bytes(part), "more_body": more})
        while (await receive())["type"] != "http.disconnect":
            pass
        told.set()

    monkeypatch.setattr(Connection, "connection_lost", note)
    with serving(large, Limits(reading_seconds=0.1)) as server, sockets(server) as (own,):
        own.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert own.recv(1)
        assert given_up.wait(PATIENCE)
        assert told.wait(PATIENCE)
        assert len(all_of(own)) < size


# Machine code, and processes that end before their time.


def test_machine_code_is_loaded_when_another_process_has_compiled_it(monkeypatch):
    found, looked = iter([False, True]), []
    monkeypatch.setattr(tasks, "is_compiled", lambda: looked.append(next(found)) or looked[-1])
    monkeypatch.setattr(tasks, "prepared_shortcuts", lambda: "shortcuts")
    code = tasks.MachineCode()
    for _ in range(2):
        assert code.load_beside() == tasks.LOOKING_SECONDS
        assert code.loading is not None
        code.loading.join()
    assert (looked, code.shortcuts) == ([False, True], "shortcuts")
    assert code.load_beside() is None, "all is done"


def test_what_cannot_be_kept_is_not_compiled(tmp_path, monkeypatch):
    """The folder of the cache is a file: nobody, not even root, can write into it."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / "file"))
    script = tmp_path / "compiling.py"
    script.write_text(COMPILING)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (
        done.stderr == f"jaxsweep: {tmp_path / 'file'} cannot be written to: nothing is compiled\n"
    )


COMPILING = """
import multiprocessing
from jaxsweep.serving.compiling import compile_beside

if __name__ == "__main__":
    compile_beside()
    multiprocessing.active_children()[0].join()
"""


def test_a_process_that_was_killed_while_idle_is_not_missed():
    before = set(multiprocessing.active_children())
    with running(processes=2) as server:
        assert server.post("/analyze", CERTAIN).status == 200
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
            process.join()
        assert [server.post("/analyze", CERTAIN).status for _ in range(4)] == [200] * 4


BUSY = """
import time
from jaxsweep.serving.limits import Limits
from jaxsweep.serving.orders import order_in
from jaxsweep.serving.workers import Worker

if __name__ == "__main__":
    rare = order_in(b'{"level": "beginner", "difficulty": [99, 100], "seed": 1}', Limits())
    Worker().start().send(("board", (rare, 3600.0)))
    print("busy", flush=True)
    time.sleep(3600)
"""


def test_a_process_ends_with_a_server_that_was_killed(tmp_path):
    script = tmp_path / "busy.py"
    script.write_text(BUSY)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as own:
        assert own.stdout is not None
        assert own.stdout.readline() == "busy\n"
        own.kill()
        # The process has the same output, which ends when both have.
        assert own.communicate(timeout=PATIENCE) == ("", None)


def test_who_waits_for_a_turn_to_watch_is_told_in_time():
    """The time of a game begins with its turn; the turn must come as soon as other answers."""
    with (
        running(Limits(seconds=0.0, game_seconds=1e9)) as server,
        contextlib.closing(server.connect()) as connection,
    ):
        connection.request("GET", "/watch?level=mini&seed=1")
        reply = connection.getresponse()
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
