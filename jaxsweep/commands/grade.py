"""The command line of `python -m jaxsweep.grade`: recorded games, graded move by move."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from jaxsweep.commands import arguments, grade_report, replay_files
from jaxsweep.commands.grade_files import GradeError, Outcome, grade_all
from jaxsweep.commands.progress import counting_bar
from jaxsweep.formats import READ
from jaxsweep.rules.level import Start
from jaxsweep.runtime.files import write_atomically
from jaxsweep.single.grading import grade
from jaxsweep.single.grading.summary import summarise
from jaxsweep.single.replay.page import page

EXAMPLES = """examples:
  python -m jaxsweep.grade game.json                  which moves lost, which were lucky
  python -m jaxsweep.grade game.avf --html game.html  a web page with the chance to win
  python -m jaxsweep.grade games/*.evf --out grades   many games: a line for each player
  python -m jaxsweep.grade games/*.evf --json         one JSON object a game, for programs
"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.grade",
        "Grade recorded games: the risk of each move, what it lost against the best one, and "
        "what luck gave or took.",
        EXAMPLES,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"files or links: {READ}")
    replay_files.add_game(parser)
    parser.add_argument(
        "--start",
        type=str.lower,
        choices=[start.value for start in Start],
        help="what the first cell was guaranteed to be, in files that do not say it "
        "(default: safe)",
    )
    parser.add_argument("--all", action="store_true", help="list all moves, the certain ones too")
    forms = parser.add_mutually_exclusive_group()
    arguments.add_json(forms)
    forms.add_argument(
        "--html",
        type=arguments.new_file,
        metavar="OUT",
        help="write the replay of one game as a web page, with its grades",
    )
    forms.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="keep the grades of many games there; the same command goes on where it stopped",
    )
    parsed = parser.parse_args(argv)
    parsed.start = None if parsed.start is None else Start(parsed.start)
    several = len(parsed.files) > 1
    if several and (parsed.html or parsed.game or parsed.all):
        option = "--html" if parsed.html else "--game" if parsed.game else "--all"
        parser.error(f"{option} is for one file, not {len(parsed.files)}")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    alone = len(parsed.files) == 1 and not parsed.json and parsed.out is None
    if alone and (parsed.game or parsed.html or not _holds_several(parsed.files[0])):
        _grade_one(parsed)
        return 0
    return _grade_many(parsed)


def _holds_several(source: str) -> bool:
    return replay_files.count_games(source) > 1


def _grade_one(parsed: argparse.Namespace) -> None:
    """Grades one game: as a page, or in the terminal."""
    replay, game = replay_files.load_game(parsed.files[0], parsed.game)
    graded = grade(replay, parsed.start)
    if parsed.html is not None:
        text = page(replay, graded, game)
        write_atomically(parsed.html, lambda part: part.write_text(text, "utf-8"))
        return
    console = Console(highlight=False, markup=False, emoji=False)
    grade_report.print_game(console, replay, graded, game, parsed.all)


def _grade_many(parsed: argparse.Namespace) -> int:
    """Grades all games of all files; returns the exit status."""
    bar = counting_bar("files")
    done, failed = 0, False
    games: list[dict[str, Any]] = []
    seen: dict[str, str] = {}
    try:
        with bar:
            task = bar.add_task("", total=len(parsed.files))
            for outcome in grade_all(parsed.files, parsed.start, parsed.out):
                done += 1
                bar.update(task, completed=done)
                failed |= outcome.error is not None
                if outcome.error is not None:
                    print(f"jaxsweep: {outcome.error}", file=sys.stderr)
                if parsed.json:
                    _print_json(outcome, parsed.game)
                elif outcome.content in seen:
                    again = f"{outcome.source} holds the same as {seen[outcome.content]}"
                    print(f"jaxsweep: {again}: it is counted once", file=sys.stderr)
                else:
                    # Without the moves: there may be many games.
                    games += [game | {"moves": []} for game in outcome.games]
                    if outcome.content:
                        seen[outcome.content] = outcome.source
    except KeyboardInterrupt:
        kept = "" if parsed.out is None else f" in {parsed.out}; the same command goes on"
        print(f"\n{done} of {len(parsed.files)} files are graded{kept}.", file=sys.stderr)
        raise
    if games:
        console = Console(highlight=False, markup=False, emoji=False)
        grade_report.print_summary(console, summarise(games))
    return arguments.USAGE_ERROR if failed else 0


def _print_json(outcome: Outcome, number: int | None) -> None:
    """Prints the games of a file, or the one with this number."""
    wanted = [game for game in outcome.games if number in (None, game["number"])]
    if outcome.games and not wanted:
        raise GradeError(f"{outcome.source}: there is no game {number}")
    for game in wanted:
        print(json.dumps(game), flush=True)
