"""Advice in one position: by the scalar path, and by devices where that has none."""

from typing import TYPE_CHECKING, Union

import numpy as np

from jaxsweep.beliefs import Beliefs, Status, crop
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.reasons import Rules
from jaxsweep.rules.threefry import KeyWords
from jaxsweep.scalar import exact, players
from jaxsweep.scalar.advice import Advice
from jaxsweep.scalar.exact import Counter
from jaxsweep.scalar.lookahead import Shortcuts
from jaxsweep.scalar.players import PLAYERS, StrategyPlayer

if TYPE_CHECKING:
    from jaxsweep.strategies import AbstractStrategy

AnyPlayer = Union[str, "AbstractStrategy"]
"""A player by name, or any strategy."""


def rules_of(player: AnyPlayer) -> Rules:
    """Returns the deduction rules that a player exhausts before it guesses."""
    definition = PLAYERS[player] if isinstance(player, str) else None
    if definition is None or isinstance(definition, StrategyPlayer):
        return _strategy(player).rules
    return definition.rules


def advise(
    player: AnyPlayer,
    position: GridPosition,
    key: KeyWords,
    counter: Counter | None = None,
    known: tuple[Beliefs, int | None] | None = None,
    shortcuts: Shortcuts | None = None,
) -> Advice:
    """Returns a player's advice in one position, in which its rules find no safe cell.

    A `counter` that has inferred the position before need not count its components again. What is
    `known` of a position too wide for it are beliefs and the number of layouts, as from `infer`.
    `shortcuts` may find what the player looks for.
    """
    found = None
    if isinstance(player, str):
        found = players.advise(PLAYERS[player], position, key, counter, shortcuts=shortcuts)
    if found is not None:
        return found
    beliefs, layouts = known or (None, None)
    return _strategy(player).advise(position, key, beliefs, layouts)


def infer(position: GridPosition, counter: Counter | None = None) -> tuple[Beliefs, int | None]:
    """Infers beliefs about one position, and counts its layouts where they can be counted.

    Exact by the scalar path, or else by the device; an estimate where both lack the capacity.
    """
    beliefs, layouts = exact.infer(position, counter)
    if beliefs.status == Status.OVER_CAPACITY:
        return _infer_on_device(position)
    return beliefs, layouts


def _infer_on_device(position: GridPosition) -> tuple[Beliefs, int | None]:
    """As `infer`, for positions that the scalar path cannot count."""
    # Imported here, since nearly all positions do without.
    from jaxsweep.inference import infer_on_device
    from jaxsweep.rules.position import from_grid, stack

    batch = stack([from_grid(*position)])
    beliefs, counts = infer_on_device(batch, np.zeros(1, np.uint32))
    one = crop(beliefs.at(0), *position.grid.shape)
    return one, counts[0]


def _strategy(player: AnyPlayer) -> "AbstractStrategy":
    """Returns the strategy on devices; JAX is imported here, for what the scalar path lacks."""
    if not isinstance(player, str):
        return player
    from jaxsweep.strategies import STRATEGIES

    return STRATEGIES[player]
