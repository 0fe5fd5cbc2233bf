"""The files of the page: read once, so that no request reaches the disk."""

import html
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.files import write_atomically
from jaxsweep.single.replay.page import with_parts

INDEX = "index.html"

KINDS = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
"""Media types by the end of a name."""


class File(NamedTuple):
    """A file of the page."""

    content: bytes
    kind: str
    """Its media type."""


def load() -> dict[str, File]:
    """Returns the files by the path under which they are served."""
    found = {}
    for folder in (files("jaxsweep.serving") / "page", files("jaxsweep.single") / "web"):
        for entry in folder.iterdir():
            kind = KINDS.get(entry.name.rpartition(".")[2])
            if kind is not None and (kind != KINDS["html"] or entry.name == INDEX):
                found[f"/{entry.name}"] = File(entry.read_bytes(), kind)
    index = found.pop(f"/{INDEX}")
    return {"/": File(with_parts(index.content.decode()).encode(), index.kind), **found}


def export(folder: Path, server: str) -> list[Path]:
    """Writes the page as files that work against a server; returns them.

    Raises `UserError` if `server` is not the address of one.
    """
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
        raise UserError(f"{server!r} is not the address of a server, such as https://example.org")
    address = f"{parts.scheme}://{parts.netloc}"
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for path, file in load().items():
        target = folder / (path.strip("/") or INDEX)
        content = _for_server(file.content.decode(), address) if path == "/" else None
        data = file.content if content is None else content.encode()
        write_atomically(target, lambda part, data=data: part.write_bytes(data))
        written.append(target)
    return written


def _for_server(index: str, address: str) -> str:
    """Names the server in the page, and allows connections to it and to nothing else."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"manifest-src 'self'; connect-src {address}; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        f'<meta name="server" content="{html.escape(address)}">\n'
    )
    return index.replace('<meta name="server" content="">\n', head, 1)
