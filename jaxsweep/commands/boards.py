"""The command line of `python -m jaxsweep.boards`: boards to order, and judgements of any board."""

import argparse
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxsweep.commands import arguments
from jaxsweep.formats import READ
from jaxsweep.puzzles.certificate import Tier
from jaxsweep.puzzles.ordering import Order
from jaxsweep.puzzles.wishes import NO_LIMIT, WishError, Wishes

EXAMPLES = """examples:
  python -m jaxsweep.boards expert --no-guess --start zero
  python -m jaxsweep.boards expert --no-guess --count 10000 --out boards.jsonl
  python -m jaxsweep.boards expert --max-rule pair --difficulty 55 inf
  python -m jaxsweep.boards custom 16 30 170 --no-guess --repair --start zero
  python -m jaxsweep.boards check boards.jsonl  verify every certificate
  python -m jaxsweep.boards judge game.avf      does it need a guess, and where?
"""

MAX_COUNT = 10**9

OTHER_FORMATS = ("mbf", "board", "llamasweeper", "pttacg")
"""The formats of other programs that hold a board alone."""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parses and checks the arguments of an order."""
    parser = arguments.make_parser(
        "jaxsweep.boards",
        "Make boards to order: without a guess, up to a rule, of some difficulty or 3BV.",
        EXAMPLES,
    )
    arguments.add_opening(parser, "expert")
    parser.add_argument(
        "--count",
        type=arguments.whole_number(1, MAX_COUNT),
        default=1,
        metavar="N",
        help="how many boards (default: 1)",
    )
    parser.add_argument(
        "--no-guess",
        action="store_true",
        help="boards that can be solved without a guess; implied by the next two options",
    )
    parser.add_argument(
        "--max-rule",
        choices=[tier.word for tier in Tier],
        metavar="RULE",
        help="the hardest rule that may be needed: single (one number at a time), pair (two), "
        "count (all mines found), exact (more numbers, the mine count; the default)",
    )
    for option, text in (
        ("--difficulty", "the least and the largest difficulty; inf: no limit"),
        ("--bbbv", "the least and the largest 3BV"),
    ):
        parser.add_argument(option, nargs=2, type=_limit, metavar=("LO", "HI"), help=text)
    parser.add_argument(
        "--repair",
        action="store_true",
        help="move mines until no guess is needed: for dense boards; not drawn uniformly",
    )
    arguments.add_seed(parser, default_text="0 with --out, else a new one each time; it is shown")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="no certificate and no difficulty: many more boards a second",
    )
    parser.add_argument(
        "--patience",
        type=arguments.seconds,
        default=60.0,
        metavar="S",
        help="give up after S seconds without a board (default: 60)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the boards, a line of JSON each; the same command goes on where it was "
        "stopped. With --format, a folder",
    )
    parser.add_argument(
        "--format",
        choices=OTHER_FORMATS,
        metavar="NAME",
        help=f"also write each board in another program's format: {', '.join(OTHER_FORMATS)}",
    )
    arguments.add_json(parser)
    parsed = parser.parse_args(argv)
    if parsed.format is not None and parsed.out is None:
        parser.error("--format writes files: it needs --out DIR")
    if parsed.format is not None and parsed.out.is_file():
        parser.error(f"argument --out: {str(parsed.out)!r} is a file; --format writes a folder")
    if parsed.out is not None and parsed.format is None:
        try:
            parsed.out = arguments.new_file(str(parsed.out))
        except argparse.ArgumentTypeError as error:
            parser.error(f"argument --out: {error}")
    return parsed


def _limit(text: str) -> float:
    """Argument type: a number from 0, or inf."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0, or inf")
    return value


def read_order(parsed: argparse.Namespace) -> Order:
    """Returns the order that the arguments make; raises `WishError` and `LevelError`."""
    wishes = Wishes(
        arguments.read_opening(parsed),
        parsed.no_guess or parsed.max_rule is not None or parsed.difficulty is not None,
        Tier.EXACT if parsed.max_rule is None else Tier[parsed.max_rule.upper()],
        NO_LIMIT if parsed.difficulty is None else tuple(parsed.difficulty),
        NO_LIMIT if parsed.bbbv is None else tuple(parsed.bbbv),
    )
    seed = parsed.seed
    if seed is None:
        # With a file, the same command goes on: with the same seed.
        seed = 0 if parsed.out is not None else secrets.randbits(32)
    return Order(wishes, seed, parsed.repair, parsed.plain)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    # Imported late, so that help and bad arguments do not wait for it.
    if words[:1] == ["check"]:
        from jaxsweep.commands.boards_judged import check

        return check(_parse_check(words[1:]))
    if words[:1] == ["judge"]:
        from jaxsweep.commands.boards_judged import judge

        return judge(_parse_judge(words[1:]))
    parsed = parse(words)
    order = read_order(parsed)
    from jaxsweep.commands.boards_made import run

    run(order, parsed.count, parsed.patience, parsed.out, parsed.format, parsed.json)
    return 0


def _parse_check(argv: Sequence[str]) -> argparse.Namespace:
    parser = arguments.make_parser(
        "jaxsweep.boards check",
        "Verify the certificates of boards step by step, without the engine that made them.",
        "example:\n  python -m jaxsweep.boards check boards.jsonl",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="boards, a line of JSON each")
    arguments.add_json(parser)
    return parser.parse_args(argv)


def _parse_judge(argv: Sequence[str]) -> argparse.Namespace:
    parser = arguments.make_parser(
        "jaxsweep.boards judge",
        "Say whether a board needs a guess, where first, how hard it is, and from which first "
        "cells it needs none.",
        "examples:\n  python -m jaxsweep.boards judge game.avf\n"
        "  python -m jaxsweep.boards judge boards.jsonl --number 3 --first 0 0",
    )
    parser.add_argument(
        "file", metavar="FILE", help=f"boards, a line of JSON each; or a file or a link: {READ}"
    )
    parser.add_argument(
        "--number",
        type=arguments.whole_number(1, MAX_COUNT),
        default=1,
        metavar="N",
        help="which board of the file, from 1 (default: 1)",
    )
    parser.add_argument(
        "--first",
        nargs=2,
        type=int,
        metavar=("ROW", "COL"),
        help="the first cell (default: that of the file, else one that needs no guess if there "
        "is one)",
    )
    arguments.add_json(parser)
    return parser.parse_args(argv)


__all__ = ["WishError", "main", "parse", "read_order"]
