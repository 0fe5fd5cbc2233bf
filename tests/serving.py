"""A server on loopback in a thread of the tests, and requests to it."""

import contextlib
import http.client
import json
import threading
import time
from dataclasses import dataclass

import uvicorn

from jaxsweep.serving.app import make_app
from jaxsweep.serving.connections import bounded
from jaxsweep.serving.guard import Trust
from jaxsweep.serving.limits import Limits
from tests.waiting import PATIENCE

STUCK = "8x8x10\n2HHHHHHH\n" + "HHHHHHHH\n" * 7
"""Nothing is certain here."""

CERTAIN = "4x3x2\n01HH\n01HH\n011H\n"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict
    body: bytes

    @property
    def data(self):
        return json.loads(self.body)

    @property
    def error(self):
        assert set(self.data) == {"error"}
        return self.data["error"]


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    port: int

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, headers=None):
        """One request on a connection of its own."""
        with contextlib.closing(self.connect()) as connection:
            body = body.encode() if isinstance(body, str) else body
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            names = {name.lower(): value for name, value in reply.getheaders()}
            return Reply(reply.status, names, reply.read())

    def get(self, path, **headers):
        return self.ask("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def post(self, path, body):
        """Plain data is sent as JSON."""
        sent = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.ask("POST", path, sent)


@contextlib.contextmanager
def running(limits=None, trust=None, processes=1):
    """A server that runs while the context lasts."""
    limits = limits or Limits()
    with serving(make_app(limits, trust or Trust(), processes), limits) as address:
        yield address


@contextlib.contextmanager
def serving(app, limits):
    """An application that is served while the context lasts."""
    config = uvicorn.Config(
        app, http=bounded(limits), port=0, log_level="warning", access_log=False, ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    patience = time.monotonic() + PATIENCE
    while not server.started:
        assert thread.is_alive() and time.monotonic() < patience
        time.sleep(0.01)
    try:
        yield Address(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


def events(body):
    """The server-sent events of a body: names and data."""
    found = []
    for part in body.decode().split("\n\n")[:-1]:
        name, data = part.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found
