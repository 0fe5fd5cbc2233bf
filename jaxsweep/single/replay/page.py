"""A replay as one web page, which needs no other file and no network."""

import json
import re
from importlib.resources import files

from jaxsweep.rules.reasons import Reason
from jaxsweep.single.grading.accounting import Grade
from jaxsweep.single.grading.report import grade_to_json
from jaxsweep.single.replay.format import Replay, ReplayError
from jaxsweep.single.replay.writing import to_json

MAX_CELLS = 40_000
"""The largest board on a page: each cell is an element, and browsers get slow with many."""

_PLACEHOLDER, _MODULES = "@REPLAY@", "@MODULES@"

_NEEDED = ("position.js", "rules.js", "recording.js", "timeline.js")
"""Modules in `single/web/`, each after those that it imports."""


def page(replay: Replay, graded: Grade | None = None) -> str:
    """Returns the HTML of the page: the template `page.html` with the replay in it.

    With its grades, the timeline shows the chance to win, and marks what was lost.
    """
    level = replay.opening.level
    if level.cells > MAX_CELLS:
        raise ReplayError(
            f"a board of {level.rows}×{level.cols} is too large for a page: "
            f"{MAX_CELLS} cells at most"
        )
    fields = to_json(replay) | {"reasons": reasons(), "survival": replay.survival}
    if graded is not None:
        fields |= {"start": graded.start.value, "grades": grade_to_json(graded, replay)}
    data = json.dumps(fields, separators=(",", ":"))
    # Only a `<` can end a script or begin a comment in it; in JSON it occurs only in strings.
    data = data.replace("<", "\\u003c")
    template = files("jaxsweep.single.replay").joinpath("page.html").read_text("utf-8")
    return template.replace(_MODULES, _modules(), 1).replace(_PLACEHOLDER, data, 1)


def _modules() -> str:
    """Returns the modules that the page shares with that of the server, as parts of one script."""
    folder = files("jaxsweep.single").joinpath("web")
    texts = [folder.joinpath(name).read_text("utf-8") for name in _NEEDED]
    return re.sub(r"^(import .*\n|export )", "", "\n".join(texts), flags=re.MULTILINE)


def reasons() -> dict[str, dict[str, str | bool]]:
    """Returns what a page must know of the reasons of moves: their words, and which are guesses."""
    return {
        reason.name.lower(): {"text": reason.text, "guess": reason.is_guess} for reason in Reason
    }
