"""The certificate of a puzzle: deductions that solve it from its first cell, in order."""

import enum
from dataclasses import dataclass
from typing import Any

from jaxsweep.rules.board import Cell
from jaxsweep.runtime.errors import UserError


class CertificateError(UserError):
    """A certificate that cannot be read, or that does not hold; says why."""


class Tier(enum.IntEnum):
    """The rules of deduction, the simplest first."""

    SINGLE = 0
    """One number that has all its mines found, or as many cells left as mines."""
    PAIR = 1
    """Two numbers: the mines of one and the safe cells of the other fill what they share."""
    COUNT = 2
    """All mines of the board are found."""
    EXACT = 3
    """Three or more numbers, or some and the number of mines left: no layout allows otherwise."""

    @property
    def word(self) -> str:
        """The name in files and on command lines."""
        return self.name.lower()


@dataclass(frozen=True)
class Step:
    """One deduction: what it rests on, and what it concludes."""

    tier: Tier
    numbers: tuple[Cell, ...]
    """The open numbers that it uses."""
    mine_count: bool
    """Whether it uses the number of mines left on the board."""
    cells: int
    """How many hidden cells there are around its numbers: what must be held in mind at once."""
    safe: tuple[Cell, ...]
    """Cells that it proves safe; they are opened, with the flood fill around zeros."""
    mines: tuple[Cell, ...]
    """Cells that it proves to be mines."""

    def to_json(self) -> dict[str, Any]:
        """Returns the step as JSON has it."""
        return {
            "rule": self.tier.word,
            "numbers": [list(cell) for cell in self.numbers],
            "mine_count": self.mine_count,
            "cells": self.cells,
            "safe": [list(cell) for cell in self.safe],
            "mines": [list(cell) for cell in self.mines],
        }


def read_steps(found: Any) -> tuple[Step, ...]:
    """Reads the steps of a certificate from JSON; raises `CertificateError`."""
    if not isinstance(found, list):
        raise CertificateError("the certificate is no list of steps")
    return tuple(_read_step(number, step) for number, step in enumerate(found, 1))


def read_cells(found: Any) -> tuple[Cell, ...] | None:
    """Reads a list of cells from JSON; None if it is none."""
    if not isinstance(found, list):
        return None
    for cell in found:
        if not isinstance(cell, list) or len(cell) != 2 or any(type(n) is not int for n in cell):
            return None
    return tuple((row, col) for row, col in found)


def _read_step(number: int, found: Any) -> Step:
    fields = found if isinstance(found, dict) else {}
    tiers = {tier.word: tier for tier in Tier}
    cells = {name: read_cells(fields.get(name)) for name in ("numbers", "safe", "mines")}
    rule, mine_count, held = (fields.get(name) for name in ("rule", "mine_count", "cells"))
    numbers, safe, mines = cells.values()
    if not isinstance(rule, str) or rule not in tiers:
        raise CertificateError(f"step {number} has no rule: single, pair, count or exact")
    lists = None not in (numbers, safe, mines)
    if not lists or not isinstance(mine_count, bool) or type(held) is not int or held < 0:
        raise CertificateError(
            f"step {number} has not all of numbers, mine_count, cells, safe and mines as they "
            "should be"
        )
    assert numbers is not None and safe is not None and mines is not None
    return Step(tiers[rule], numbers, mine_count, held, safe, mines)
