"""Who may ask: requests of foreign pages and for foreign hosts are refused, before any other code.

A page that a browser has loaded from elsewhere can send requests to this server, also when it
listens on loopback only. Its origin says so, or the browser's `Sec-Fetch-Site`. After DNS rebinding
the browser takes the foreign page's own host for this server; then `Host` names it.
"""

import asyncio
import ipaddress
import json
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MISDIRECTED = 421

TURNED_AWAY = "turned_away"
"""In the state of a request: its connection is one too many, see `connections`."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""Of every answer: nothing is loaded from elsewhere, and no other site may embed the page."""


@dataclass(frozen=True)
class Trust:
    """Names under which the server is known, and pages that may use it."""

    hosts: frozenset[str] = frozenset()
    """Host names, in lower case, besides localhost and addresses in numbers."""
    origins: frozenset[str] = frozenset()
    """Origins of pages that come from elsewhere."""

    def knows_host(self, host: str) -> bool:
        """Whether a `Host` is that of this server; rebinding needs a name, not a number."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        name = name.strip("[]").lower().rstrip(".")
        if name == "localhost" or name in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, trust: Trust, pages: frozenset[str]):
        self.app = app
        self.trust = trust
        self.pages = pages
        """Paths that links of other sites may lead to."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses a request, or passes it on; every answer gets the `HEADERS`."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        is_trusted = origin is not None and origin in self.trust.origins

        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                own = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    own.setdefault(name, value)
                own.setdefault("Vary", "Origin")
                if is_trusted:
                    own["Access-Control-Allow-Origin"] = origin or ""
            await send(message)

        refused = self._why_refused(scope, headers, is_trusted)
        if TURNED_AWAY in scope.get("state", {}):
            why = "too many connections at once: try again in a moment"
            await _answer(503, why, send_with_headers, {"Retry-After": "1", "Connection": "close"})
        elif refused is not None:
            await _answer(*refused, send_with_headers)
        elif scope["method"] == "OPTIONS" and is_trusted:
            await _answer(204, None, send_with_headers, _PREFLIGHT)
        else:
            try:
                await self.app(scope, receive, send_with_headers)
            except asyncio.CancelledError:
                # The server is stopped, and has waited for answers that are still under way.
                if not has_begun:
                    await _answer(503, "the server is being stopped", send_with_headers)

    def _why_refused(
        self, scope: Scope, headers: Headers, is_trusted: bool
    ) -> tuple[int, str] | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.trust.knows_host(host):
            return MISDIRECTED, "this server does not go by that host name (see --allow-host)"
        if is_trusted:
            return None
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, "pages of other origins may not use this server (see --allow-origin)"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            is_link = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
            if not (is_link and scope["path"] in self.pages):
                return 403, "pages of other sites may not use this server (see --allow-origin)"
        return None


_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Private-Network": "true",
    "Access-Control-Max-Age": "600",
}


async def _answer(
    status: int, sentence: str | None, send: Send, headers: dict[str, str] | None = None
) -> None:
    body = b"" if sentence is None else json.dumps({"error": sentence}).encode()
    start: Message = {"type": "http.response.start", "status": status, "headers": []}
    own = MutableHeaders(scope=start)
    own.update(headers or {})
    if body:
        own["Content-Type"] = "application/json"
    own["Content-Length"] = str(len(body))
    await send(start)
    await send({"type": "http.response.body", "body": body})
