"""The command line of `python -m jaxsweep.serve`: a JSON API over HTTP, and a web page."""

import argparse
import ipaddress
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxsweep.commands import arguments
from jaxsweep.runtime.errors import UserError

HOST, PORT = "127.0.0.1", 8270

GOODBYE_SECONDS = 2
"""How long answers under way may still take when the server is stopped."""

EXAMPLES = """examples:
  python -m jaxsweep.serve                        the page at http://127.0.0.1:8270
  curl --data-binary @position.txt http://127.0.0.1:8270/analyze
  python -m jaxsweep.serve --allow-origin https://minesweeper.online
  python -m jaxsweep.serve --export site --server https://mines.example.org
"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.serve",
        "Serve a JSON API and a web page: analyse positions, play, watch players, see replays.",
        EXAMPLES,
    )
    parser.add_argument(
        "--host",
        default=HOST,
        help=f"the address to listen on (default: {HOST}, for this computer only)",
    )
    parser.add_argument(
        "--port",
        type=arguments.whole_number(0, 65535),
        default=PORT,
        metavar="N",
        help=f"the port; 0 for any that is free (default: {PORT})",
    )
    parser.add_argument(
        "--processes",
        type=arguments.whole_number(1, 256),
        metavar="N",
        help="processes that work on answers (default: one a core)",
    )
    parser.add_argument(
        "--compile",
        action="store_true",
        help="compile what analyses are ten times as fast with, beside the first answers: "
        "minutes, once",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which others reach this server; may be given several times",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="an origin whose pages may use this server, such as https://example.org",
    )
    parser.add_argument(
        "--export",
        type=Path,
        metavar="FOLDER",
        help="write the page as files instead, to be put on any web site",
    )
    parser.add_argument(
        "--server", metavar="URL", help="with --export: the server that the page is to use"
    )
    parsed = parser.parse_args(argv)
    if (parsed.export is None) != (parsed.server is None):
        parser.error("--export FOLDER and --server URL go together")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    if parsed.export is not None:
        # Imported here, as is all below: other commands' help does not wait for it.
        from jaxsweep.serving.site import export

        files = export(parsed.export, parsed.server)
        print(f"{parsed.export}: {len(files)} files, for the server {parsed.server}")
        return 0
    try:
        import uvicorn

        from jaxsweep.serving.app import make_app
    except ModuleNotFoundError as error:
        what = f"{error.name} is not installed: pip install 'jaxsweep[serve]'"
        raise UserError(what) from None
    from jaxsweep.serving.connections import bounded
    from jaxsweep.serving.guard import Trust
    from jaxsweep.serving.limits import Limits

    limits = Limits()
    trust = Trust(
        frozenset(name.lower() for name in (*parsed.allow_host, parsed.host)),
        frozenset(origin.rstrip("/") for origin in parsed.allow_origin),
    )
    listening = listen(parsed.host, parsed.port)
    announce(listening)
    if parsed.compile:
        from jaxsweep.serving.compiling import compile_beside

        compile_beside()
    app = make_app(limits, trust, parsed.processes or os.cpu_count() or 1)
    config = uvicorn.Config(
        app,
        http=bounded(limits),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listening])
    return 0


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens; raises `UserError` if the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        # Python appends where it was, which is said already.
        why = (error.strerror or str(error)).partition(" (while")[0]
        raise UserError(f"cannot listen on {host}, port {port}: {why}") from None


def announce(listening: socket.socket) -> None:
    """Says where the server is, and if others than this computer can reach it."""
    host, port = listening.getsockname()[:2]
    address = ipaddress.ip_address(host)
    shown = f"[{host}]" if address.version == 6 else host
    print(f"jaxsweep: http://{shown}:{port}", flush=True)
    if not address.is_loopback:
        print(
            "jaxsweep: this is not loopback: whoever can reach this address can use the server, "
            "without a password or encryption",
            file=sys.stderr,
            flush=True,
        )
