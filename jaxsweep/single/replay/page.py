"""A replay as one web page: nothing else is needed to look at it, not even a network."""

import json
from importlib.resources import files

from jaxsweep.single.replay.format import Replay, ReplayError, to_json
from jaxsweep.strategies import Reason

MAX_CELLS = 40_000
"""The largest board on a page: each cell is an element, and browsers have their limits."""

_PLACE = "@REPLAY@"


def page(replay: Replay) -> str:
    """The page, whole: the template with the replay inside."""
    level = replay.opening.level
    if level.cells > MAX_CELLS:
        raise ReplayError(
            f"a board of {level.rows}×{level.cols} is too large for a page: "
            f"{MAX_CELLS} cells at most"
        )
    reasons = {
        reason.name.lower(): {"text": reason.text, "guess": reason.is_guess} for reason in Reason
    }
    fields = to_json(replay) | {"reasons": reasons, "survival": replay.survival}
    data = json.dumps(fields, separators=(",", ":"))
    # Inside a script, only a `<` can end it or begin a comment; in JSON it stands in strings alone.
    data = data.replace("<", "\\u003c")
    template = files("jaxsweep.single.replay").joinpath("page.html").read_text("utf-8")
    return template.replace(_PLACE, data, 1)
