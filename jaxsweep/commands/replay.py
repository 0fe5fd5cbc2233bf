"""The command line of `python -m jaxsweep.replay`: recorded games, of this and other programs."""

import argparse
from collections.abc import Iterator, Sequence

from rich.console import Console, Group
from rich.text import Text

from jaxsweep.commands import arguments, replay_files, replay_info
from jaxsweep.formats import READ
from jaxsweep.metrics.game import game_metrics
from jaxsweep.metrics.luck import luck
from jaxsweep.rules.board import Board, mask_of
from jaxsweep.rules.clicks import ClickedGame
from jaxsweep.rules.reasons import Reason
from jaxsweep.rules.status import GameStatus
from jaxsweep.runtime.compilation import use_cache
from jaxsweep.runtime.files import write_atomically
from jaxsweep.single import terminal
from jaxsweep.single.replay import RecordedMove, Replay
from jaxsweep.single.replay.checking import check
from jaxsweep.single.replay.page import page
from jaxsweep.single.replay.pictures import animation, picture
from jaxsweep.single.words import (
    count,
    details_in_words,
    metrics_in_words,
    move_in_words,
    of_them_guesses,
    seed_in_words,
)

EXAMPLES = """examples:
  python -m jaxsweep.replay show game.json                      move by move, in the terminal
  python -m jaxsweep.replay check game.json                     compare it with the exact engine
  python -m jaxsweep.replay export game.json --html game.html   a web page to share
  python -m jaxsweep.replay export game.json --png at12.png --move 12
  python -m jaxsweep.replay info *.evf                          clicks, 3BV, ZiNi, luck
  python -m jaxsweep.replay convert game.avf game.evf           another program's format
  python -m jaxsweep.replay convert game.rmv --to jsminesweeper --move 12
"""

OUTCOMES = {GameStatus.WON: "won", GameStatus.LOST: "lost", GameStatus.PLAYING: "unfinished"}


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses and checks the arguments."""
    parser = arguments.make_parser(
        "jaxsweep.replay",
        "Show a recorded game, check it, convert it, or export it as a picture or a web page.",
        EXAMPLES,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    shows = commands.add_parser("show", help="draw it in the terminal, move by move")
    checks = commands.add_parser("check", help="check the layout, the reasons and all odds")
    exports = commands.add_parser("export", help="write a picture, an animation or a web page")
    for command in (shows, checks, exports):
        command.add_argument("file", metavar="FILE", help=f"a replay or a link: {READ}")
        replay_files.add_game(command)
    converts = commands.add_parser("convert", help="write it in another program's format")
    replay_files.add_arguments(converts)
    infos = commands.add_parser("info", help="what files hold: boards, clicks, 3BV, ZiNi, luck")
    infos.add_argument("files", nargs="+", metavar="FILE", help="files or links")
    arguments.add_json(infos)
    shows.add_argument(
        "--delay",
        type=arguments.seconds,
        metavar="S",
        help="seconds between moves (default: 0.3 in a terminal, else 0)",
    )
    forms = exports.add_mutually_exclusive_group(required=True)
    for option, text in (
        ("--png", "a picture of the board"),
        ("--gif", "an animation of the game"),
        ("--html", "a web page that shows every move"),
    ):
        forms.add_argument(option, type=arguments.new_file, metavar="OUT", help=text)
    exports.add_argument(
        "--move",
        type=arguments.whole_number(0, 2**32 - 1),
        metavar="N",
        help="the picture shows the board after N moves (default: the last)",
    )
    parsed = parser.parse_args(argv)
    if parsed.command == "export" and parsed.move is not None and parsed.png is None:
        exports.error("--move is for --png: the others show every move")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parsed = parse(argv)
    if parsed.command == "convert":
        replay_files.convert(parsed)
        return 0
    if parsed.command == "info":
        return replay_info.report(parsed.files, parsed.json)
    replay, game = replay_files.load_game(parsed.file, parsed.game)
    if parsed.command == "show":
        show(replay, game, parsed.delay)
        return 0
    if parsed.command == "check":
        use_cache()
        return report(parsed.file, replay)
    export(replay, parsed)
    return 0


def report(file: str, replay: Replay) -> int:
    """Prints the problems of a replay, or that there are none; returns the exit status."""
    problems = check(replay)
    if not problems:
        moves, outcome = count(len(replay.moves), "move"), OUTCOMES[replay.outcome]
        print(f"{file}: {moves}, {outcome}, no problems found")
    for problem in problems:
        print(f"{file}: {problem}")
    return arguments.USAGE_ERROR if problems else 0


def export(replay: Replay, parsed: argparse.Namespace) -> None:
    """Writes the picture, the animation or the page."""
    if parsed.png is not None:
        move = len(replay.moves) if parsed.move is None else parsed.move
        image = picture(replay, move)
        write_atomically(parsed.png, lambda part: image.save(part, format="PNG"))
    elif parsed.gif is not None:
        write_atomically(parsed.gif, lambda part: animation(replay, part))
    else:
        text = page(replay)
        write_atomically(parsed.html, lambda part: part.write_text(text, "utf-8"))


def show(replay: Replay, game: ClickedGame, delay: float | None) -> None:
    """Draws a game: in place in a terminal, one board after another elsewhere; then its metrics."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    pause = delay if delay is not None else (0.3 if console.is_terminal else 0.0)
    terminal.show_frames(frames(replay, console), console, pause)
    console.print(ending(replay))
    metrics = game_metrics(game)
    console.print(metrics_in_words(metrics))
    console.print(details_in_words(metrics, luck(game)))


def frames(replay: Replay, console: Console) -> Iterator[Group]:
    """Draws each move: a title, what was opened and why, and the board after it."""
    opening, moves = replay.opening, len(replay.moves)
    title = f"{replay.strategy} on {opening.level}, {opening.start.value} start"
    title += seed_in_words(replay.seed)
    boards = replay.boards()[1:]
    for number, (move, board) in enumerate(zip(replay.moves, boards, strict=True), start=1):
        drawing = terminal.draw(
            board.grid,
            mask_of(move.opened, board.mines),
            board.mines if board.status is not GameStatus.PLAYING else None,
            room=(console.height - 4, console.width),
            ascii_only=console.options.ascii_only,
        )
        line = f"move {number} of {moves}, {sentence(move, board)}"
        yield Group(Text(title, "bold"), Text(line, no_wrap=True, overflow="ellipsis"), drawing)


def sentence(move: RecordedMove, after: Board) -> str:
    """Describes a move and its reason; of several cells, only the first is named."""
    verb, is_mine = "" if move.cells else "flag ", after.status is GameStatus.LOST
    cells, reason = move.cells or move.flags, move.reason.text
    return verb + move_in_words(cells, reason, move.risk, is_mine, room=0)


def ending(replay: Replay) -> Text:
    """Returns the outcome, moves, guesses, and survival probability, as far as they are known."""
    styles = {GameStatus.WON: "bold green", GameStatus.LOST: "bold red"}
    reasons = [move.reason for move in replay.moves]
    text = Text()
    text.append(OUTCOMES[replay.outcome], styles.get(replay.outcome, "bold"))
    text.append(f" in {count(len(replay.moves), 'move')}")
    # Nobody asks people for their reasons: `grade` finds out which moves were guesses.
    if Reason.PLAYER not in reasons:
        text.append(f", {of_them_guesses(sum(reason.is_guess for reason in reasons))}")
    survival = replay.survival[-1]
    if replay.moves and survival is not None:
        text.append(f", {survival:.1%} to survive them all")
    return text
