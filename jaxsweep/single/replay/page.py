"""A replay as one web page, which needs no other file and no network."""

import json
import re
from importlib.resources import files

from jaxsweep.metrics.game import game_metrics, metrics_to_json
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.reasons import Reason
from jaxsweep.single.grading.accounting import Grade
from jaxsweep.single.grading.report import grade_to_json
from jaxsweep.single.replay.clicks import clicked_game
from jaxsweep.single.replay.format import Replay, ReplayError
from jaxsweep.single.replay.writing import to_json

MAX_CELLS = 40_000
"""The largest board on a page: each cell is an element, and browsers get slow with many."""

_NEEDED = (
    "elements.js",
    "position.js",
    "rules.js",
    "board.js",
    "recording.js",
    "timeline.js",
    "stage.js",
    "film.js",
    "grades.js",
)
"""Modules in `single/web/`, each after those that it imports."""

_WEB = files("jaxsweep.single").joinpath("web")
"""What the page shares with that of the server: its style, its modules, and parts of its HTML."""


def page(replay: Replay, graded: Grade | None = None, game: ClickedGame | None = None) -> str:
    """Returns the HTML of the page: the template `page.html` with the replay in it.

    With its grades, the timeline shows the chance to win, and marks what was lost; there are
    turning points, a table of moves, and metrics of the clicks: those of `game`, or without it of
    the replay, which has none that were without effect.
    """
    level = replay.opening.level
    if level.cells > MAX_CELLS:
        raise ReplayError(
            f"a board of {level.rows}×{level.cols} is too large for a page: "
            f"{MAX_CELLS} cells at most"
        )
    fields = to_json(replay) | {"reasons": reasons(), "survival": replay.survival}
    if graded is not None:
        metrics = metrics_to_json(game_metrics(game or clicked_game(replay)))
        grades = grade_to_json(graded, replay) | {"metrics": metrics}
        if game is not None and game.player is not None:
            grades["player"] = game.player
        fields |= {"start": graded.start.value, "grades": grades}
    data = json.dumps(fields, separators=(",", ":"))
    # Only a `<` can end a script or begin a comment in it; in JSON it occurs only in strings.
    data = data.replace("<", "\\u003c")
    own = files("jaxsweep.single.replay")
    template = own.joinpath("page.html").read_text("utf-8")
    modules = [(name.removesuffix(".js"), _shared(name)) for name in _NEEDED]
    modules.append(("page", own.joinpath("page.js").read_text("utf-8")))
    parts = {
        "STYLE": _shared("style.css"),
        "THEME": _shared("theme.js"),
        "MODULES": "\n".join(_as_block(name, text) for name, text in modules),
        "REPLAY": data,
    }
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], with_parts(template))


def with_parts(html: str) -> str:
    """Returns a page with the parts that its comments name, such as `<!-- stage.html -->`."""
    return re.sub(r"<!-- (\w+\.html) -->\n", lambda found: _shared(found[1]), html)


def _shared(name: str) -> str:
    return _WEB.joinpath(name).read_text("utf-8")


def _as_block(name: str, text: str) -> str:
    """Returns a module as a part of one script: what it exports is an object of its name."""
    exported = re.findall(r"^export (?:class|const|function) (\w+)", text, re.MULTILINE)
    text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
    imported = re.compile(r'^import (\{.*\}) from "\./(\w+)\.js";$', re.MULTILINE)
    text = imported.sub(r"const \1 = \2Module;", text)
    return f"const {name}Module = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();\n"


def reasons() -> dict[str, dict[str, str | bool]]:
    """Returns what a page must know of the reasons of moves: their words, and which are guesses."""
    return {
        reason.name.lower(): {"text": reason.text, "guess": reason.is_guess} for reason in Reason
    }
