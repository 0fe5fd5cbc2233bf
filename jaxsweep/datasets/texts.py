"""Positions of a data set as prompts with reference answers, one JSON object a line."""

import json

from jaxsweep.datasets.positions import Kind, LabelledPositions, WinSource
from jaxsweep.datasets.prompts import answer_of, prompt_of
from jaxsweep.datasets.rewards import rewards_at


def to_jsonl(positions: LabelledPositions) -> bytes:
    """Returns lines with the prompt, the reference answer, and what else is known in words."""
    return "".join(map(_line, [positions] * len(positions), range(len(positions)))).encode()


def _line(positions: LabelledPositions, index: int) -> str:
    """Returns one line.

    The reference answer is a best one. Of equal ones it is the player's own, so that a model which
    learns the answers plays as the player does where that is best.
    """
    rewards = rewards_at(positions, index)
    row, col = positions.move[index].tolist()
    is_guess = positions.kind[index] == Kind.GUESS
    is_best = is_guess and rewards.reward[row, col] == 1.0
    source = WinSource(positions.win_source[index])
    win = None if source is WinSource.UNKNOWN else round(float(positions.win_probability[index]), 6)
    fields = {
        "prompt": prompt_of(positions.position(index)),
        "answer": answer_of((row, col) if is_best else rewards.best),
        "player_answer": answer_of((row, col)) if is_guess else None,
        "kind": Kind(positions.kind[index]).name.lower(),
        "game": int(positions.game[index]),
        "open_cells": int(positions.open_cells[index]),
        "least_risk": round(float(positions.least_risk[index]), 6),
        "win_probability": win,
        "win_source": source.name.lower(),
    }
    return json.dumps(fields) + "\n"
