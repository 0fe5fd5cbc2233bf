"""The options of `python -m jaxsweep.arena`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from jaxsweep.commands import arguments
from jaxsweep.scalar.players import FAST, PLAYERS
from jaxsweep.simulation.settings import GAMES_PER_ACCELERATOR, GAMES_PER_CORE

MAX_DEVICES = 256
"""The most local devices; a CPU can pretend to have any number, but slows down with many."""

EXAMPLES = """examples:
  python -m jaxsweep.arena expert --games 200000 --out runs/expert
      the same command again goes on where it stopped, or reports
  python -m jaxsweep.arena beginner --compare exact exact-random-ties
  python -m jaxsweep.arena expert --games 1000000 --out runs/big \\
      --coordinator 10.0.0.1:1234 --processes 2 --process-id 0
      and the same with --process-id 1 on the other host"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.arena",
        "Play many games; report the win rate and its confidence interval.",
        EXAMPLES,
    )
    _add_games(parser)
    _add_hosts(parser.add_argument_group("several hosts"))
    parsed = parser.parse_args(argv)
    problem = _problem(parsed)
    if problem:
        parser.error(problem)
    return parsed


def _add_games(parser: argparse.ArgumentParser) -> None:
    """Adds the games, the players, and the folder for records."""
    arguments.add_opening(parser, "expert")
    players = parser.add_mutually_exclusive_group()
    arguments.add_strategy(players, FAST)
    players.add_argument(
        "--compare",
        nargs=2,
        choices=list(PLAYERS),
        metavar=("A", "B"),
        help="two players on the same boards: reports the difference of their win rates",
    )
    parser.add_argument(
        "--games",
        type=arguments.whole_number(1, 2**31),
        default=10_000,
        metavar="N",
        help="the number of games (default: 10000)",
    )
    arguments.add_seed(parser, default=0)
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="a folder for the records of all games; the same command again resumes the run",
    )
    parser.add_argument(
        "--batch",
        type=arguments.whole_number(1, 2**20),
        metavar="N",
        help=f"games in progress on each device (default: {GAMES_PER_CORE} on a CPU, "
        f"{GAMES_PER_ACCELERATOR} on an accelerator); changes no result",
    )
    parser.add_argument(
        "--devices",
        type=arguments.whole_number(1, MAX_DEVICES),
        metavar="N",
        help="the number of local devices (default: all; on a CPU, one per core)",
    )
    parser.add_argument(
        "--moves",
        nargs="+",
        type=arguments.whole_number(0, 2**31),
        default=[],
        metavar="GAME",
        help="also write replays of these games to --out",
    )
    parser.add_argument(
        "--metrics",
        action="store_true",
        help="also value the boards: means of 3BV, ZiNi, openings and so on; efficiency if won",
    )
    arguments.add_json(parser)


def _add_hosts(hosts: argparse._ArgumentGroup) -> None:
    """Adds the addresses by which several processes connect."""
    hosts.add_argument("--coordinator", metavar="HOST:PORT", help="the address of process 0")
    hosts.add_argument(
        "--processes",
        type=arguments.whole_number(1, 2**16),
        metavar="N",
        help="the number of processes",
    )
    hosts.add_argument(
        "--process-id",
        type=arguments.whole_number(0, 2**16),
        metavar="I",
        help="the number of this process, from 0",
    )
    hosts.add_argument(
        "--distributed",
        action="store_true",
        help="take these three options from the cluster (SLURM, Open MPI, cloud TPU)",
    )


def _problem(parsed: argparse.Namespace) -> str | None:
    """Returns what is wrong with a combination of options; None if it is allowed."""
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
