"""Standard output that cannot take everything: another encoding than UTF-8, a reader that left."""

import codecs
import contextlib
import io
import os
import sys

_PLAIN = str.maketrans(
    {"×": "x", "·": ".", "…": "...", "±": "+-", "−": "-", "–": "-", "—": "-", "µ": "u", "²": "^2"}
)
"""How signs are written where there is no better way."""


def _written_plainly(error: UnicodeError) -> tuple[str, int]:
    """The error handler: writes what an encoding does not have in plain letters, or as `?`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    plain = error.object[error.start : error.end].translate(_PLAIN)
    return plain.encode("ascii", "replace").decode("ascii"), error.end


codecs.register_error("jaxsweep.plain", _written_plainly)


def write_plainly_if_need_be() -> None:
    """Lets both outputs write any text, whatever their encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="jaxsweep.plain")


def forget_output() -> None:
    """Drops what is still to be written: nobody reads it, and the interpreter would complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
