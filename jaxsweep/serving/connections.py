"""Connections: how long a silent one is kept, how many there may be, and who is turned away.

uvicorn bounds the rest between two requests, but neither how long the head of a request may take
nor how long a client may leave an answer unread. Without these bounds, a few hundred connections
that do nothing would keep all others out.
"""

import asyncio
import ipaddress
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from jaxsweep.serving.guard import TURNED_AWAY
from jaxsweep.serving.limits import Limits


def bounded(limits: Limits) -> type["Connection"]:
    """Returns the class of connections with these limits, for `uvicorn.Config(http=...)`."""

    class Bounded(Connection):
        pass

    Bounded.limits = limits
    return Bounded


class Connection(H11Protocol):
    """One connection; where there are too many, the one that is idle for longest makes room.

    So silent connections keep nobody out: whoever sends a request is answered first.
    """

    limits = Limits()
    client_network: str | None = None
    """Which client it is of."""
    idle_since = 0.0
    _awaiting_head: asyncio.TimerHandle | None = None
    _awaiting_reader: asyncio.TimerHandle | None = None

    @property
    def is_answering(self) -> bool:
        """Whether there is a request that has no whole answer yet."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def unread(self) -> int:
        """Bytes of answers that could not be sent yet."""
        return self.transport.get_write_buffer_size()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is lost if it is closed."""
        return not self.is_answering and not self.unread

    def connection_made(self, transport: Any) -> None:
        """Makes room for a new connection, or has its requests refused.

        The transport has asyncio's interface, but uvloop's class is none of asyncio's.
        """
        super().connection_made(transport)
        self.client_network = network_of(self.client)
        self.idle_since = self.loop.time()
        self._await_head()
        if not self._has_room():
            self.app_state = self.app_state | {TURNED_AWAY: True}

    def data_received(self, data: bytes) -> None:
        """Reads what comes; the time for a head ends when it is there."""
        super().data_received(data)
        if self.is_answering:
            self._forget_head()
        elif self._awaiting_head is None:
            self._await_head()

    def on_response_complete(self) -> None:
        """Waits for the next request, and until the answer is taken."""
        self.idle_since = self.loop.time()
        self._await_reader()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Gives the client a time to take what is written."""
        super().pause_writing()
        self._await_reader()

    def resume_writing(self) -> None:
        """Goes on writing; the end of an answer must be taken as well."""
        self._forget_reader()
        if not self.is_answering:
            self._await_reader()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._forget_head()
        super().connection_lost(exc)
        self._forget_reader()

    def _has_room(self) -> bool:
        """Whether there is room for this connection; an idle one is closed for it."""
        others = [
            other
            for other in self.connections
            if isinstance(other, Connection)
            and other is not self
            and not (other.transport.is_closing() and other.is_idle)
        ]
        own = [other for other in others if other.client_network == self.client_network]
        for some, most in (
            (own, self.limits.client_connections),
            (others, self.limits.connections),
        ):
            if len(some) >= most:
                idle = [other for other in some if other.is_idle]
                if not idle:
                    return False
                min(idle, key=lambda other: other.idle_since).transport.close()
                return True
        return True

    def _await_head(self) -> None:
        self._awaiting_head = self.loop.call_later(self.limits.head_seconds, self._give_up_head)

    def _forget_head(self) -> None:
        if self._awaiting_head is not None:
            self._awaiting_head.cancel()
            self._awaiting_head = None

    def _give_up_head(self) -> None:
        self._awaiting_head = None
        if not self.is_answering:
            self.transport.close()

    def _await_reader(self) -> None:
        if self._awaiting_reader is None and self.unread:
            seconds = self.limits.reading_seconds
            self._awaiting_reader = self.loop.call_later(seconds, self._look, self.unread)

    def _forget_reader(self) -> None:
        if self._awaiting_reader is not None:
            self._awaiting_reader.cancel()
            self._awaiting_reader = None

    def _look(self, before: int) -> None:
        """Drops the connection, and what it has not taken, if it has taken nothing."""
        self._awaiting_reader = None
        if self.unread >= before:
            self.transport.abort()
        else:
            self._await_reader()


def network_of(client: tuple[str, int] | None) -> str | None:
    """Returns what counts as one client: an address, of IPv6 the network of 64 bits it is in."""
    if client is None:
        return None
    try:
        address = ipaddress.ip_address(client[0].partition("%")[0])
    except ValueError:
        return client[0]
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
