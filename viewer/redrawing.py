"""Whether a model looks as the one that was drawn last: clocks tick more often than they show."""

from collections.abc import Callable
from dataclasses import fields

from jaxsweep.single.person import PersonGame
from viewer.controls import REST
from viewer.model import Model, PlayState
from viewer.playback import Playback

_AS_SHOWN: dict[tuple[type, str], Callable[[float], object]] = {
    (PersonGame, "seconds"): int,
    (Playback, "waited"): lambda seconds: None,
    (Model, "rested"): lambda seconds: seconds >= REST,
}
"""Times by class and field, and what can be seen of them."""


def looks_same(one: object, other: object) -> bool:
    """Whether two models, or parts of them, are drawn alike; in doubt they are not."""
    if one is other:
        return True
    if type(one) is not type(other) or not isinstance(
        one, Model | PlayState | PersonGame | Playback
    ):
        return False
    for each in fields(one):
        before, after = getattr(one, each.name), getattr(other, each.name)
        as_shown = _AS_SHOWN.get((type(one), each.name))
        if as_shown is not None:
            if as_shown(before) != as_shown(after):
                return False
        elif not looks_same(before, after):
            return False
    return True
