"""Links: what they say after the question mark."""

import re
from urllib.parse import parse_qsl

from jaxsweep.formats.text import start_of, text_of

_LINK = re.compile(r"(?i)https?://\S*|([\w.:/#-]*\?)?[a-z]+=[^\s&]+(&[a-z]+=[^\s&]*)*/?")
"""Pages may be pasted without `https://`, as browsers show them, or only what follows them."""


MAX_BYTES = 2**18
"""The longest link: a board of `MAX_CELLS` cells takes less."""


def looks_like_link(text: str) -> bool:
    """Whether a text, such as an argument of a command, is a link or the end of one."""
    return _LINK.fullmatch(text.strip()) is not None


def fields_of(data: bytes) -> dict[str, str]:
    """Returns what a link says, by name; nothing if this is no link, or one that is too long."""
    if len(data) > MAX_BYTES:
        return {}
    start = start_of(data, 64)
    if not looks_like_link(start.split()[0] if start.split() else ""):
        return {}
    text = text_of(data).strip()
    if not looks_like_link(text):
        return {}
    # Pages that are one program have their question mark behind a hash; others a hash behind it.
    return dict(parse_qsl(text[text.rfind("?") + 1 :].partition("#")[0]))
