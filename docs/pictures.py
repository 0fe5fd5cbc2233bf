"""Makes the pictures of the README from seeds: `python docs/pictures.py`."""

from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from jaxsweep.level import LEVELS, Opening, Start
from jaxsweep.play import frame
from jaxsweep.strategies import BEST, STRATEGIES
from jaxsweep.watch import watch

IMAGES = Path(__file__).parent / "images"


def svg_template() -> str:
    """Rich's terminal window, without the fonts it would fetch from the network."""
    head, _, rest = CONSOLE_SVG_FORMAT.partition("@font-face")
    return head + rest[rest.index(".{unique_id}-matrix") :].replace("Fira Code", "Menlo, Consolas")


def terminal_game(seed: int, move: int) -> None:
    """An expert game in the terminal, at one of its moves."""
    console = Console(width=80, height=24, record=True, force_terminal=True, file=StringIO())
    opening = Opening.of(LEVELS["expert"], Start.ZERO)
    for step in watch(STRATEGIES[BEST], opening, seed):
        if step.number == move:
            console.print(frame(step, f"{BEST} on {opening.level}, seed {seed}", console))
            break
    console.save_svg(
        str(IMAGES / "play.svg"), title="python -m jaxsweep.play expert", code_format=svg_template()
    )


if __name__ == "__main__":
    terminal_game(seed=7, move=18)
