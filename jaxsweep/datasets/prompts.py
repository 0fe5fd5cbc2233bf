"""Positions as questions to language models, and cells as answers."""

import re

from jaxsweep.rules.board import Cell
from jaxsweep.rules.notation import GridPosition, PositionError, read, to_text

MAX_PROMPT = 100_000
"""The longest prompt that is read, in characters."""

MAX_ANSWER = 200
"""So many characters are read from the end of an answer, however long the text before is."""

_QUESTION = """\
Minesweeper on {rows} rows and {cols} columns with {mines} mines. H is a hidden cell; a digit is \
an open cell, and says how many of its neighbours are mines: up to eight cells, diagonal ones \
included. Opening a mine loses the game, opening all other cells wins it. All placements of the \
mines that agree with the digits are equally likely. The first line says columns x rows x mines.

{position}
Which hidden cell is the best one to open next? End your answer with one line "open ROW COLUMN", \
where rows and columns are counted from 0 at the top left.
"""

_HEADER = re.compile(r"[ \t]*[0-9]+[xX×][0-9]+[xX×][0-9]+[ \t]*")
_ANSWER = re.compile(r"open[ \t]+\(?([0-9]{1,4})(?:[ \t]*,[ \t]*|[ \t]+)([0-9]{1,4})\)?\.?", re.I)


def prompt_of(position: GridPosition) -> str:
    """Returns the question for the best move: the rules, the position, and the form of answers."""
    header, *lines = to_text(position).splitlines()
    # A space between cells, so that tokens do not swallow several of them.
    text = "\n".join([header, *(" ".join(line) for line in lines)]) + "\n"
    rows, cols = position.grid.shape
    return _QUESTION.format(rows=rows, cols=cols, mines=position.mines, position=text)


def position_in(prompt: str) -> GridPosition:
    """Reads the position of a prompt, the last one if there are several.

    It may be in other words, or none: what counts is a line `COLSxROWSxMINES` with the rows below.
    Raises `PositionError` if there is none.
    """
    if len(prompt) > MAX_PROMPT:
        raise PositionError(f"a prompt of {len(prompt):,} characters; at most {MAX_PROMPT:,}")
    if prompt.lstrip().startswith("{"):
        return read(prompt)
    lines = prompt.splitlines()
    headers = [number for number, line in enumerate(lines) if _HEADER.fullmatch(line)]
    if not headers:
        raise PositionError("no position in the prompt: no line COLSxROWSxMINES, such as 30x16x99")
    begin = headers[-1]
    rows = re.findall("[0-9]+", lines[begin])[1]
    end = begin + 1 + int(rows[:5])
    return read("\n".join(lines[begin:end]))


def answer_of(cell: Cell) -> str:
    """Returns an answer."""
    return f"open {cell[0]} {cell[1]}"


def cell_in(answer: str) -> Cell | None:
    """Returns the cell that an answer opens: that of its last line; None if it is no answer.

    Parentheses, a comma and a full stop are allowed, and nothing else beside.
    """
    end = answer.rstrip()[-MAX_ANSWER:]
    line = end.splitlines()[-1] if end else ""
    found = _ANSWER.fullmatch(line.strip())
    # A line that fills all that is read may have begun before.
    if found is None or len(line) == MAX_ANSWER:
        return None
    row, col = map(int, found.groups())
    return row, col
