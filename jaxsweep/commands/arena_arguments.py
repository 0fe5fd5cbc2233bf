"""The options of `python -m jaxsweep.arena`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from jaxsweep.commands import arguments
from jaxsweep.simulation.matches import GAMES_PER_DEVICE
from jaxsweep.strategies import FAST, STRATEGIES

EXAMPLES = """examples:
  python -m jaxsweep.arena expert --games 200000 --out runs/expert
  python -m jaxsweep.arena expert --games 200000 --out runs/expert   (again: it goes on, or reports)
  python -m jaxsweep.arena beginner --compare exact exact-random-ties --games 100000
  python -m jaxsweep.arena expert --games 1000000 --out runs/big \\
      --coordinator 10.0.0.1:1234 --processes 2 --process-id 0       (and 1 on the other host)"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxsweep.arena",
        description="Play many games, and report how many were won, with an interval.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_games(parser)
    _add_hosts(parser.add_argument_group("several hosts"))
    parsed = parser.parse_args(argv)
    problem = _problem(parsed)
    if problem:
        parser.error(problem)
    return parsed


def _add_games(parser: argparse.ArgumentParser) -> None:
    """Adds what is played, by whom, and where the records go."""
    arguments.add_opening(parser, "expert")
    players = parser.add_mutually_exclusive_group()
    players.add_argument(
        "--strategy",
        choices=list(STRATEGIES),
        default=FAST,
        metavar="NAME",
        help=f"the player: {', '.join(STRATEGIES)} (default: {FAST})",
    )
    players.add_argument(
        "--compare",
        nargs=2,
        choices=list(STRATEGIES),
        metavar=("A", "B"),
        help="two players on the same boards, and the difference of their win rates",
    )
    parser.add_argument(
        "--games",
        type=arguments.whole_number(1, 2**31),
        default=10_000,
        metavar="N",
        help="(default: 10000)",
    )
    parser.add_argument(
        "--seed",
        type=arguments.whole_number(0, 2**32 - 1),
        default=0,
        metavar="S",
        help="which boards (default: 0)",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="keep records there, and go on")
    parser.add_argument(
        "--batch",
        type=arguments.whole_number(1, 2**20),
        default=GAMES_PER_DEVICE,
        metavar="N",
        help=f"games under way on each device (default: {GAMES_PER_DEVICE}); changes no result",
    )
    parser.add_argument(
        "--devices",
        type=arguments.whole_number(1, 4096),
        metavar="N",
        help="use so many local devices (default: all; of a CPU, one a core)",
    )
    parser.add_argument(
        "--moves",
        nargs="+",
        type=arguments.whole_number(0, 2**31),
        default=[],
        metavar="GAME",
        help="also write every move of these games to --out",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def _add_hosts(hosts: argparse._ArgumentGroup) -> None:
    """Adds how several processes find each other."""
    hosts.add_argument("--coordinator", metavar="HOST:PORT", help="where process 0 listens")
    hosts.add_argument(
        "--processes", type=arguments.whole_number(1, 2**16), metavar="N", help="how many in all"
    )
    hosts.add_argument(
        "--process-id", type=arguments.whole_number(0, 2**16), metavar="I", help="from 0"
    )
    hosts.add_argument(
        "--distributed",
        action="store_true",
        help="take these three from the cluster (SLURM, Open MPI, cloud TPU)",
    )


def _problem(parsed: argparse.Namespace) -> str | None:
    """Says what is wrong with options that are well-formed by themselves."""
    given = (parsed.coordinator, parsed.processes, parsed.process_id)
    if any(x is not None for x in given) and any(x is None for x in given):
        return "--coordinator, --processes and --process-id go together"
    if parsed.processes is not None and parsed.process_id >= parsed.processes:
        return f"--process-id {parsed.process_id} of --processes {parsed.processes}"
    if parsed.coordinator and ":" not in parsed.coordinator:
        return f"--coordinator takes HOST:PORT, not {parsed.coordinator!r}"
    if (parsed.coordinator or parsed.distributed) and not parsed.out:
        return "several processes need --out: each writes its own shards there"
    if parsed.moves and not parsed.out:
        return "--moves needs --out, a folder to write to"
    if parsed.moves and max(parsed.moves) >= parsed.games:
        return f"--moves {max(parsed.moves)}: there are games 0 to {parsed.games - 1}"
    return None
