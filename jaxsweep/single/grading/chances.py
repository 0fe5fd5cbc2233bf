"""How likely a game of any usual size is won, before its first click.

A smooth model of how often `strongest` wins, from the first cell that measured best:

    log(−log p) = Σ cᵢⱼₖ · xⁱ sʲ lᵏ

with x, s and l the logarithms of the density of mines, of the shorter side, and of the ratio of the
sides. `experiments/chances.py` plays the games, fits the coefficients and writes them, with what
they are good for, to `chances.json`.
"""

import json
from functools import lru_cache
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from jaxsweep.rules.level import Level, Start

COEFFICIENTS = Path(__file__).with_suffix(".json")

LEAST_SIDE = 4
"""The shorter side of the smallest boards that the model is for."""

HIGHEST_DENSITY = 0.4
"""The highest density that it is for."""

DENSITIES = (0.06, 0.34)
"""Beyond what was played, log(−log p) goes on in a line with the logarithm of the density."""

LEAST_SLOPE = 1.0
"""The least slope of that line."""

USUAL_DENSITY, USUAL_SIDE = 0.2, 16.0
"""Where x and s are 0."""

SIDES, RATIOS = (4.0, 40.0), (1.0, 10.0)
"""Beyond what was played, sides and their ratio count as the nearest that was."""

MOST = 6.0
"""The highest log(−log p): no chance is left."""

Term = tuple[int, int, int]
"""The exponents of x, s and l."""


class Shape(NamedTuple):
    """What the model reads of a level."""

    density: float
    """x"""
    side: float
    """s"""
    ratio: float
    """l"""


def chance_to_win(level: Level, start: Start) -> float | None:
    """Returns the chance to win of the best play; None for boards that the model is not for.

    With the start rule ANY, the first cell has to be survived, and then it is as with SAFE.
    """
    if start is Start.ANY:
        safe = chance_to_win(level, Start.SAFE)
        return None if safe is None else safe * (1.0 - level.mines / level.cells)
    if level.mines == 0:
        return 1.0
    if min(level.rows, level.cols) < LEAST_SIDE or level.mines > HIGHEST_DENSITY * level.cells:
        return None
    terms, coefficients = _model(start)
    return chance_by(shape_of(level), terms, coefficients)


def shape_of(level: Level) -> Shape:
    """Returns what the model reads of a level with mines; the density is not limited."""
    short, long = sorted((level.rows, level.cols))
    side, ratio = _within(float(short), SIDES), _within(long / short, RATIOS)
    density = level.mines / level.cells
    return Shape(log(density / USUAL_DENSITY), log(side / USUAL_SIDE), log(ratio))


def chance_by(shape: Shape, terms: list[Term], coefficients: list[float]) -> float:
    """Returns the chance to win by the model with these coefficients."""
    least, most = (log(density / USUAL_DENSITY) for density in DENSITIES)
    x = _within(shape.density, (least, most))
    value = slope = 0.0
    for (i, j, k), coefficient in zip(terms, coefficients, strict=True):
        rest = coefficient * shape.side**j * shape.ratio**k
        value += rest * x**i
        slope += rest * i * x ** max(i - 1, 0)
    value += max(slope, LEAST_SLOPE) * (shape.density - x)
    return exp(-exp(min(value, MOST)))


def _within(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])


@lru_cache(maxsize=2)
def _model(start: Start) -> tuple[list[Term], list[float]]:
    stored = json.loads(COEFFICIENTS.read_text("utf-8"))
    return [(i, j, k) for i, j, k in stored["terms"]], stored["coefficients"][start.value]
