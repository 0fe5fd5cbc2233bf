"""A board that was asked for, with what is known of it, and its form in JSON."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxsweep.puzzles.certificate import Step, Tier, read_cells, read_steps
from jaxsweep.puzzles.difficulty import Difficulty, difficulty_of
from jaxsweep.puzzles.proofs import prove
from jaxsweep.rules.board import Mask, cells_of, mask_of
from jaxsweep.rules.level import Level, LevelError, Opening, Start
from jaxsweep.runtime.errors import UserError
from jaxsweep.scalar.view import MAX_CELLS


class BoardError(UserError):
    """A board that cannot be read; says why."""


@dataclass(frozen=True)
class Source:
    """Where a board comes from: the same source is the same board."""

    seed: int
    game: int
    """The number of the deal among those of the seed."""
    repaired: bool
    """Whether mines were moved after the deal."""
    wishes: str
    """What was asked for, as `Wishes.text` says it."""


@dataclass(frozen=True, eq=False)
class OrderedBoard:
    """A board and its first cell, with proof that it needs no guess, if it needs none."""

    opening: Opening
    mines: Mask
    bbbv: int
    hardest: Tier | None
    """The hardest rule that it needs; None if a guess is needed."""
    steps: tuple[Step, ...] | None = None
    """The certificate; None if a guess is needed, or if it was not asked for."""
    source: Source | None = None

    @classmethod
    def proved(
        cls, opening: Opening, mines: Mask, bbbv: int, source: Source | None = None
    ) -> "OrderedBoard":
        """Returns a board with its certificate, if it needs no guess."""
        proof = prove(mines, opening.first)
        if not proof.solved:
            return cls(opening, mines, bbbv, None, None, source)
        return cls(opening, mines, bbbv, proof.hardest, proof.steps, source)

    @property
    def difficulty(self) -> Difficulty | None:
        """How hard it is; None if there is no certificate."""
        return None if self.steps is None else difficulty_of(self.steps)

    def to_json(self) -> dict[str, Any]:
        """Returns the board as JSON has it."""
        hardest, difficulty, source = self.hardest, self.difficulty, self.source
        found = {
            "rows": self.opening.level.rows,
            "cols": self.opening.level.cols,
            "mine_cells": [list(cell) for cell in cells_of(self.mines)],
            "start": self.opening.start.value,
            "first": list(self.opening.first),
            "bbbv": self.bbbv,
            "difficulty": None if difficulty is None else difficulty.score,
            "difficulty_parts": None if difficulty is None else difficulty.to_json(),
            "hardest_rule": None if hardest is None else hardest.word,
            "certificate": None if self.steps is None else [s.to_json() for s in self.steps],
        }
        if source is not None:
            found |= {"seed": source.seed, "game": source.game, "repaired": source.repaired}
            found["wishes"] = source.wishes
        return found


def read_board(found: Any) -> OrderedBoard:
    """Reads a board from JSON, without checking that its certificate or its 3BV holds.

    Raises `BoardError` or `CertificateError`.
    """
    if not isinstance(found, dict):
        raise BoardError("it is no JSON object")
    rows, cols, bbbv = (found.get(name) for name in ("rows", "cols", "bbbv"))
    cells = read_cells(found.get("mine_cells"))
    first = read_cells([found.get("first")])
    starts = {start.value: start for start in Start}
    if type(rows) is not int or type(cols) is not int or type(bbbv) is not int:
        raise BoardError("rows, cols and bbbv are not all whole numbers")
    if rows > 0 and cols > 0 and rows * cols > MAX_CELLS:
        raise BoardError(f"a board of {rows}×{cols}: {MAX_CELLS:,} cells at most")
    if cells is None or not first or str(found.get("start")) not in starts:
        raise BoardError("mine_cells, first and start are not all as they should be")
    if len(set(cells)) < len(cells):
        raise BoardError("mine_cells names a cell twice")
    try:
        opening = Opening(Level(rows, cols, len(cells)), starts[found["start"]], first[0])
    except LevelError as error:
        raise BoardError(str(error)) from error
    if any(not (0 <= row < rows and 0 <= col < cols) for row, col in cells):
        raise BoardError("mine_cells names a cell that is not on the board")
    mines = mask_of(cells, np.zeros((rows, cols), bool))
    tiers = {tier.word: tier for tier in Tier}
    rule, certificate = found.get("hardest_rule"), found.get("certificate")
    if rule is not None and not (isinstance(rule, str) and rule in tiers):
        raise BoardError("hardest_rule is none of single, pair, count and exact")
    hardest = None if rule is None else tiers[rule]
    steps = None if certificate is None else read_steps(certificate)
    board = OrderedBoard(opening, mines, bbbv, hardest, steps, _read_source(found))
    of_steps = board.to_json()
    for name in ("difficulty", "difficulty_parts"):
        if not _is_same(found.get(name), of_steps[name]):
            raise BoardError(f"{name} is not that of the steps, {json.dumps(of_steps[name])}")
    return board


def _is_same(found: Any, expected: Any) -> bool:
    """Returns whether two values of JSON are equal; unlike Python, it has no numbers as truths."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            _is_same(found[name], expected[name]) for name in found
        )
    return isinstance(found, bool) == isinstance(expected, bool) and found == expected


def _read_source(found: dict[str, Any]) -> Source | None:
    """Reads where a board comes from; None if that is not said."""
    kinds = {"seed": int, "game": int, "repaired": bool, "wishes": str}
    if not kinds.keys() & found.keys():
        return None
    fields = [found.get(name) for name in kinds]
    if any(type(field) is not kind for field, kind in zip(fields, kinds.values(), strict=True)):
        raise BoardError("seed, game, repaired and wishes are not all as they should be")
    return Source(*fields)  # pyright: ignore[reportArgumentType]
