"""The application: what each path answers."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from jaxsweep.formats import writable
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.rules.level import LEVELS, Start
from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.version import __version__
from jaxsweep.scalar.players import BEST, PLAYERS
from jaxsweep.serving import site
from jaxsweep.serving.files import Which
from jaxsweep.serving.guard import Guard, Trust
from jaxsweep.serving.limits import Limits, RefusedError
from jaxsweep.serving.openapi import description
from jaxsweep.serving.orders import DIFFICULTIES, order_in
from jaxsweep.serving.reading import (
    Asked,
    RequestError,
    check_names,
    game_in,
    one_of,
    positions_in,
    which_in,
    whole_number,
)
from jaxsweep.serving.reference import STYLE, reference
from jaxsweep.serving.workers import Workers
from jaxsweep.single.replay.page import reasons

CHUNK = 16
"""Positions that a process analyses before it may turn to another request."""

LONGEST_SENTENCE = 400
"""Characters of what is said of bad input, which may quote it."""

GAMES_AT_ONCE = 2
"""Processes in which players are watched, besides those for all other requests."""


class Service:
    """What the paths share: the limits, and the processes that do the work."""

    def __init__(self, limits: Limits, processes: int):
        self.limits = limits
        self.workers = Workers(processes, limits.waiting)
        self.players = Workers(GAMES_AT_ONCE, limits.waiting)

    def deadline(self) -> float:
        """Returns when an answer that is asked for now must be there."""
        return time.monotonic() + self.limits.seconds

    async def body(self, request: Request) -> bytes:
        """Reads the body of a request, unless it is too large or too slow."""
        if request.headers.get("content-type", "").startswith("multipart/"):
            raise RefusedError(415, "a form: send the file or the text itself as the body")
        most = self.limits.body
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.limits.upload_seconds):
                async for part in request.stream():
                    parts.append(part)
                    size += len(part)
                    if size > most:
                        raise RefusedError(413, f"a body of more than {most:,} bytes")
        except TimeoutError:
            raise RefusedError(408, "the body did not arrive in time") from None
        except ClientDisconnect:
            raise RefusedError(400, "the body is cut off") from None
        return b"".join(parts)

    async def analyze(self, request: Request) -> Response:
        """Analyses one position, or several."""
        which, deadline = which_in(_query(request)), self.deadline()
        body = await self.body(request)
        async with self.workers.admitted():
            asked = await self._asked(body, which, deadline)
            found = b",".join(await self._analyses(asked, deadline))
        return _json(b"[" + found + b"]" if asked.several else found)

    async def _asked(self, body: bytes, which: Which, deadline: float) -> Asked:
        """Finds the positions in a body; those of files and links are read in a process."""
        asked = await asyncio.to_thread(positions_in, body, self.limits)
        if asked is None:
            seen = await self.workers.run("seen", body, which, self.limits, deadline=deadline)
            return Asked(seen, len(seen) > 1)
        if which != Which():
            raise RequestError('"game" and "move" are for files of games, and links')
        return asked

    async def numbers(self, request: Request) -> Response:
        """Counts what one hidden cell of a position would show."""
        query, deadline = _query(request), self.deadline()
        check_names(query, ("row", "col"))
        cell = whole_number(query, "row", 0, 2**31), whole_number(query, "col", 0, 2**31)
        body = await self.body(request)
        async with self.workers.admitted():
            asked = await self._asked(body, Which(), deadline)
            if asked.several:
                raise RequestError("several positions: send the one that has the cell")
            arguments = (asked.positions[0], cell, self.limits)
            return _json(await self.workers.run("numbers", *arguments, deadline=deadline))

    async def _analyses(self, asked: Asked, deadline: float) -> list[bytes]:
        """Analyses positions in chunks, in as many processes as there are."""
        waiting = deque(range(0, len(asked.positions), CHUNK))
        found: dict[int, list[bytes] | UserError | RefusedError] = {}
        size = 0

        async def work() -> None:
            nonlocal size
            while waiting:
                begin = waiting.popleft()
                some = asked.positions[begin : begin + CHUNK]
                first = begin + 1 if asked.several else None
                arguments = (some, first, self.limits)
                try:
                    answers = await self.workers.run("analyse", *arguments, deadline=deadline)
                    found[begin] = answers
                    size += sum(map(len, answers))
                    if size > self.limits.answer:
                        most = f"{self.limits.answer:,} bytes"
                        raise RefusedError(413, f"an answer of more than {most}: send less at once")
                except (UserError, RefusedError) as error:
                    # The first position that is wrong is named, whichever was found first: those
                    # before it are under way.
                    found[begin] = error
                    waiting.clear()

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self.workers.count, len(waiting))):
                group.create_task(work())
        answers = []
        for begin in sorted(found):
            some = found[begin]
            if isinstance(some, Exception):
                raise some
            answers += some
        return answers

    async def deal(self, request: Request) -> Response:
        """Deals a game."""
        game = game_in(_query(request), self.limits)
        async with self.workers.admitted():
            return _json(await self.workers.run("deal", game, deadline=self.deadline()))

    async def board(self, request: Request) -> Response:
        """Makes a board to order."""
        deadline, body = self.deadline(), await self.body(request)
        asked = await asyncio.to_thread(order_in, body, self.limits)
        async with self.workers.admitted():
            seconds = self.limits.board_seconds
            return _json(await self.workers.run("board", asked, seconds, deadline=deadline))

    async def check(self, request: Request) -> Response:
        """Checks a replay."""
        return await self._about_game("check", request)

    async def grade(self, request: Request) -> Response:
        """Grades the moves of a replay."""
        return await self._about_game("grade", request)

    async def info(self, request: Request) -> Response:
        """Says what a file or a link holds."""
        check_names(_query(request), ())
        return await self._about_file("info", request)

    async def _about_game(self, task: str, request: Request) -> Response:
        query = _query(request)
        check_names(query, ("game",))
        return await self._about_file(task, request, which_in(query))

    async def _about_file(self, task: str, request: Request, *arguments: Any) -> Response:
        deadline, body = self.deadline(), await self.body(request)
        async with self.workers.admitted():
            run = self.workers.run(task, body, *arguments, self.limits, deadline=deadline)
            return _json(await run)

    async def convert(self, request: Request) -> Response:
        """Writes a file or a link in another format."""
        query, formats = _query(request), writable()
        to = one_of(query, "to", list(formats))
        answer = await self._about_file("convert", request, to, which_in(query, "to"))
        known = formats[to]
        if not known.is_text:
            answer.headers["Content-Type"] = "application/octet-stream"
        elif to not in ("replay", "position", "msor"):
            answer.headers["Content-Type"] = "text/plain; charset=utf-8"
        name = "game" + next(iter(known.suffixes), ".txt")
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer

    async def watch(self, request: Request) -> Response:
        """Plays a game, move by move, as server-sent events."""
        game = game_in(_query(request), self.limits, with_player=True)
        seconds = self.limits.game_seconds
        items = self.players.items("watch", game, turn=self.deadline(), seconds=seconds)
        events = self._events(items)
        # What is wrong before the first event has a status of its own.
        first = await anext(events)
        return StreamingResponse(_chained(first, events), media_type="text/event-stream")

    async def _events(self, items: AsyncIterator[tuple[str, bytes]]) -> AsyncIterator[bytes]:
        begun = False
        async with self.players.admitted(), aclosing(items):  # type: ignore[type-var]
            try:
                async for name, data in items:
                    yield b"event: %s\ndata: %s\n\n" % (name.encode(), data)
                    begun = True
            except (RefusedError, UserError) as error:
                if not begun:
                    raise
                yield b"event: error\ndata: %s\n\n" % _error(error).body

    async def about(self, request: Request) -> Response:
        """Says what there is: levels, start rules, players, and the words of reasons."""
        check_names(_query(request), ())
        levels = {
            name: {"rows": level.rows, "cols": level.cols, "mines": level.mines}
            for name, level in LEVELS.items()
        }
        return JSONResponse(
            {
                "version": __version__,
                "levels": levels,
                "starts": [rule.value for rule in Start],
                "players": list(PLAYERS),
                "best": BEST,
                "reasons": reasons(),
                "rules": [tier.word for tier in Tier],
                "difficulties": list(DIFFICULTIES),
                "formats": formats_in_words(),
                "limits": {
                    "body": self.limits.body,
                    "cells": self.limits.cells,
                    "positions": self.limits.positions,
                    "seconds": self.limits.seconds,
                },
            }
        )

    @asynccontextmanager
    async def life(self, app: Starlette) -> AsyncIterator[None]:
        """Starts the processes with the server, and ends them with it."""
        self.workers.start()
        yield
        self.workers.close()
        self.players.close()


def make_app(limits: Limits, trust: Trust, processes: int) -> ASGIApp:
    """Returns the application."""
    service, files = Service(limits, processes), site.load()
    api = description(limits)
    routes = [
        Route("/analyze", service.analyze, methods=["POST"]),
        Route("/analyze/cell", service.numbers, methods=["POST"]),
        Route("/boards", service.board, methods=["POST"]),
        Route("/convert", service.convert, methods=["POST"]),
        Route("/replay/info", service.info, methods=["POST"]),
        Route("/replay/check", service.check, methods=["POST"]),
        Route("/replay/grade", service.grade, methods=["POST"]),
        Route("/deal", service.deal),
        Route("/watch", service.watch),
        Route("/about", service.about),
        Route("/openapi.json", lambda request: JSONResponse(api)),
        Route("/docs", lambda request: HTMLResponse(reference(api, _address(request)))),
        Route("/docs.css", lambda request: Response(STYLE, media_type="text/css")),
        *(Route(path, _file(file)) for path, file in files.items()),
    ]
    app = Starlette(
        routes=routes,
        lifespan=service.life,
        exception_handlers={
            UserError: lambda request, error: _error(error),
            RefusedError: lambda request, error: _error(error),
            HTTPException: _not_routed,
            Exception: lambda request, error: _error(error),
        },
    )
    # A redirect would name this server as it is known here, not as a proxy is known outside.
    app.router.redirect_slashes = False
    return Guard(app, trust, frozenset({*files, "/openapi.json", "/docs", "/docs.css"}))


def formats_in_words() -> dict[str, dict[str, str | None]]:
    """Returns the formats that are written: what people know them as, and their usual ending."""
    return {
        name: {"title": known.title, "ending": next(iter(known.suffixes), None)}
        for name, known in writable().items()
    }


def _file(file: site.File):
    async def answer(request: Request) -> Response:
        return Response(file.content, media_type=file.kind)

    return answer


def _query(request: Request) -> dict[str, str]:
    """Returns what a query says by name; raises `RequestError` where it says something twice."""
    query = {}
    for name, value in request.query_params.multi_items():
        if name in query:
            raise RequestError(f"{name[:40]!r} is given twice")
        query[name] = value
    return query


def _address(request: Request) -> str:
    """Returns the address of this server, as the one who asks knows it."""
    return str(request.base_url).rstrip("/")


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


def _error(error: Exception) -> Response:
    """Says in a sentence why there is no answer."""
    headers = None
    if isinstance(error, UserError):
        status, sentence = 400, str(error)
    elif isinstance(error, RefusedError):
        status, sentence = error.status, str(error)
        headers = {"Retry-After": "1"} if status == 503 else None
    else:
        status, sentence = 500, "an error of the server, which it has printed"
    if len(sentence) > LONGEST_SENTENCE:
        sentence = sentence[:LONGEST_SENTENCE] + "…"
    return JSONResponse({"error": sentence}, status, headers)


def _not_routed(request: Request, error: Exception) -> Response:
    """Says that there is no such path, or that it does not answer this method."""
    assert isinstance(error, HTTPException)
    path, methods = request.url.path[:80], (error.headers or {}).get("Allow")
    if methods is None:
        sentence = f"there is no {path!r} here; /docs describes what there is"
    else:
        known = ", ".join(sorted(methods.split(", ")))
        sentence = f"{path} answers {known} only, not {request.method}"
    return JSONResponse({"error": sentence}, error.status_code, error.headers)


async def _chained(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async with aclosing(rest):  # type: ignore[type-var]
        yield first
        async for one in rest:
            yield one
