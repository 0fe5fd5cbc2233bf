"""`boards check` and `boards judge`: certificates verified, and any board judged."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from jaxsweep.commands.boards_made import difficulty_in_words
from jaxsweep.formats import FormatError, read, read_source
from jaxsweep.formats.conversion import as_game, games_in
from jaxsweep.puzzles.board import BoardError, OrderedBoard
from jaxsweep.puzzles.certificate import CertificateError, Tier
from jaxsweep.puzzles.checking import check_board
from jaxsweep.puzzles.difficulty import share_easier
from jaxsweep.puzzles.files import is_lines, read_lines
from jaxsweep.puzzles.judging import Judgement
from jaxsweep.puzzles.judging import judge as judge_board
from jaxsweep.rules.board import Cell, Mask
from jaxsweep.rules.clicks import Button
from jaxsweep.rules.level import Start
from jaxsweep.scalar.view import MAX_CELLS
from jaxsweep.single import terminal

FAILED = 1
"""The exit status if a certificate does not hold."""


def check(parsed: argparse.Namespace) -> int:
    """Verifies the certificates of a file; returns the exit status."""
    counts = dict.fromkeys(Tier, 0)
    steps, wrong, without, number = 0, [], 0, 0
    for number, board in enumerate(read_lines(parsed.file), 1):
        if board.steps is None:
            without += 1
            continue
        try:
            steps += sum(check_board(board).values())
        except CertificateError as error:
            wrong.append((number, str(error)))
            print(f"board {number}: {error}", file=sys.stderr)
        else:
            assert board.hardest is not None, "it was compared with the steps"
            counts[board.hardest] += 1
    if not number:
        raise BoardError(f"{parsed.file} holds no boards")
    by_rule = {tier.word: counts[tier] for tier in Tier}
    if parsed.json:
        found: dict[str, Any] = {"boards": number, "verified": by_rule, "steps": steps}
        print(json.dumps(found | {"without_certificate": without, "wrong": wrong}))
    else:
        listed = ", ".join(f"{word} {found:,}" for word, found in by_rule.items())
        print(
            f"{sum(counts.values()):,} of {number:,} certificates verified, {steps:,} steps; "
            f"by hardest rule: {listed}"
        )
        if without:
            print(f"{without:,} without a certificate")
    return FAILED if wrong else 0


def judge(parsed: argparse.Namespace) -> int:
    """Judges a board of a file, or of a link; returns the exit status."""
    mines, first, start = _read(parsed.file, parsed.number)
    if mines.size > MAX_CELLS:
        raise BoardError(f"boards of at most {MAX_CELLS:,} cells are judged, not {mines.size:,}")
    if mines.all():
        raise BoardError("the board has no safe cell")
    if parsed.first is not None:
        first, start = (parsed.first[0], parsed.first[1]), Start.ANY
    found = judge_board(mines, first, start)
    if parsed.json:
        print(json.dumps(_to_json(found)))
    else:
        _report(found)
    return 0


def _read(source: str, number: int) -> tuple[Mask, Cell | None, Start]:
    """Reads a board: its mines, and its first cell and start rule if they are known."""
    path = Path(source)
    if path.is_file() and is_lines(path):
        for place, board in enumerate(read_lines(path), 1):
            if place == number:
                return board.mines, board.opening.first, board.opening.start
        raise BoardError(f"{path} has fewer than {number:,} boards")
    data, name = read_source(source)
    games = games_in(read(data, name))
    if len(games) < number:
        raise FormatError(f"{name}: it holds {len(games)} boards whose mines are known")
    game = as_game(games[number - 1])
    opened = [click.cell for click in game.clicks if click.button is Button.LEFT]
    return game.mines, opened[0] if opened else None, Start.ANY


def _to_json(found: Judgement) -> dict[str, Any]:
    guess, board = found.guess, found.board
    first_guess = None
    if guess is not None:
        safest = None if guess.safest is None else list(guess.safest)
        first_guess = {"opened": guess.opened, "safest": safest, "risk": guess.risk}
        first_guess["board"] = guess.position.grid.tolist()
    free = np.argwhere(found.guess_free).tolist()
    needs_guess = {"needs_guess": board.hardest is None, "first_guess": first_guess}
    return board.to_json() | needs_guess | {"guess_free_first_cells": free}


def _report(found: Judgement) -> None:
    """Prints a judgement."""
    board, guess = found.board, found.guess
    level, console = (
        board.opening.level,
        Console(highlight=False, markup=False, emoji=False, soft_wrap=True),
    )
    print(f"{level}, 3BV {board.bbbv}, first cell {board.opening.first}: {_verdict(board)}")
    if board.difficulty is not None:
        score = board.difficulty.score
        share = share_easier(score)
        print(f"difficulty {score:g}; of expert boards that need no guess, {share:.0%} are easier")
        print(difficulty_in_words(board.difficulty))
    if guess is not None:
        safe = level.cells - level.mines
        print(f"stuck with {guess.opened} of {safe} safe cells open:")
        room = (level.rows + 3, max(console.width, level.cols + 5))
        nothing = np.zeros_like(board.mines)
        ascii_only = console.options.ascii_only
        console.print(terminal.draw(guess.position.grid, nothing, None, room, ascii_only))
        if guess.safest is not None and guess.risk is not None:
            print(f"the safest cell there, {guess.safest}, is a mine with {guess.risk:.1%}")
    free, safe = int(found.guess_free.sum()), level.cells - level.mines
    print(f"first cells from which it needs no guess: {free} of {safe}")
    if free:
        marks = found.guess_free + np.uint8(2) * board.mines
        room = (level.rows + 3, max(console.width, level.cols + 5))
        console.print(terminal.draw_marks(marks, ".+*", room))
        print("+ needs no guess from here   . needs one   * a mine")


def _verdict(board: OrderedBoard) -> str:
    if board.mines[board.opening.first]:
        return "a mine"
    if board.hardest is None:
        return "needs a guess"
    return f"needs no guess, hardest rule {board.hardest.word}"
