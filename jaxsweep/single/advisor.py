"""Advice in one position: by the scalar path, and by devices where that has none."""

from typing import TYPE_CHECKING, Union

from jaxsweep.beliefs import Beliefs, Status, crop
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.reasons import Rules
from jaxsweep.rules.threefry import KeyWords
from jaxsweep.scalar import exact, players
from jaxsweep.scalar.advice import Advice
from jaxsweep.scalar.exact import Counter
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
    player: AnyPlayer, position: GridPosition, key: KeyWords, counter: Counter | None = None
) -> Advice:
    """Returns a player's advice in one position, in which its rules find no safe cell.

    A `counter` that has inferred the position before need not count its components again.
    """
    found = None
    if isinstance(player, str):
        found = players.advise(PLAYERS[player], position, key, counter)
    return _strategy(player).advise(position, key) if found is None else found


def infer(position: GridPosition, counter: Counter | None = None) -> tuple[Beliefs, int | None]:
    """Infers beliefs about one position, and counts its layouts where they can be counted.

    Exact by the scalar path, or else by the device; an estimate where both lack the capacity.
    """
    beliefs, layouts = exact.infer(position, counter)
    if beliefs.status != Status.OVER_CAPACITY:
        return beliefs, layouts
    # Imported here, since nearly all positions do without.
    from jaxsweep.inference import infer_and_count
    from jaxsweep.rules.position import from_grid

    wide, counts = infer_and_count(from_grid(*position))
    return crop(wide, *position.grid.shape), counts[0]


def _strategy(player: AnyPlayer) -> "AbstractStrategy":
    """Returns the strategy on devices; JAX is imported here, for what the scalar path lacks."""
    if not isinstance(player, str):
        return player
    from jaxsweep.strategies import STRATEGIES

    return STRATEGIES[player]
