"""The command line of `python -m jaxsweep.dataset`: makes data sets for learners."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from jaxsweep.commands import arguments
from jaxsweep.datasets.settings import EXACT_PLAYERS, MAX_POSITIONS, SHARD, DatasetSettings
from jaxsweep.scalar.players import BEST

EXAMPLES = """examples:
  python -m jaxsweep.dataset expert --positions 100000 --out data/expert
      the same command again goes on where it stopped
  python -m jaxsweep.dataset custom 5 5 5 --text --out data/small"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.dataset",
        "Make a data set of positions with exact probabilities, certain cells and best moves.",
        EXAMPLES,
    )
    arguments.add_opening(parser, "expert")
    parser.add_argument(
        "--positions",
        type=arguments.whole_number(1, MAX_POSITIONS),
        default=10_000,
        metavar="N",
        help="the number of positions, over all splits (default: 10000)",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        required=True,
        help="the folder of the data set; the same command again goes on where it was stopped",
    )
    parser.add_argument(
        "--player",
        choices=list(EXACT_PLAYERS),
        default=BEST,
        metavar="NAME",
        help=f"whose games and moves: {', '.join(EXACT_PLAYERS)} (default: {BEST})",
    )
    arguments.add_seed(parser, default=0)
    parser.add_argument(
        "--shard",
        type=arguments.whole_number(1, MAX_POSITIONS),
        default=SHARD,
        metavar="N",
        help=f"positions that are written at once, over all splits (default: {SHARD})",
    )
    parser.add_argument(
        "--text",
        action="store_true",
        help="also write prompts and answers for language models, as JSON lines",
    )
    arguments.add_json(parser)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    opening = arguments.read_opening(parsed)
    numbers = (parsed.seed, parsed.positions, parsed.shard)
    settings = DatasetSettings(opening, parsed.player, *numbers, parsed.text)
    # Imported here, so that help and bad arguments do not wait for machine code.
    from jaxsweep.commands.dataset_run import run

    run(parsed.out, settings, parsed.json)
    return 0
