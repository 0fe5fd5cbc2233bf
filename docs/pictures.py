"""Makes the pictures of the README from seeds: `python docs/pictures.py`."""

from io import StringIO
from pathlib import Path

import jax
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from jaxsweep.analyze import analyze, draw
from jaxsweep.level import LEVELS, Opening
from jaxsweep.samples import stuck_positions

IMAGES = Path(__file__).parent / "images"


def svg_template() -> str:
    """Rich's terminal window, without the fonts it would fetch from the network."""
    head, _, rest = CONSOLE_SVG_FORMAT.partition("@font-face")
    return head + rest[rest.index(".{unique_id}-matrix") :].replace("Fira Code", "Menlo, Consolas")


def terminal_odds(seed: int, number: int) -> None:
    """The odds of a stuck expert position, as `analyze` draws them."""
    batch = stuck_positions(Opening.of(LEVELS["expert"]), seed, number + 1)
    console = Console(
        width=96, height=26, record=True, force_terminal=True, highlight=False, file=StringIO()
    )
    draw(analyze([jax.tree.map(lambda leaf: leaf[..., number], batch)])[0], console)
    console.save_svg(
        str(IMAGES / "analyze.svg"), title="python -m jaxsweep.analyze", code_format=svg_template()
    )


if __name__ == "__main__":
    terminal_odds(seed=1, number=200)
