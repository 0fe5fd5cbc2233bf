"""Many graded games of one player: means, and which known player chooses as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean, stdev
from typing import Any

from jaxsweep.rules.level import Level, Start
from jaxsweep.scalar.players import BEST
from jaxsweep.single.grading.reference import losses_of_players

ENOUGH = 5
"""Games from which on a player is compared with known ones."""

Z_95 = 1.96

DIGIT = 1e-4
"""What the losses of known players are rounded to."""


@dataclass(frozen=True)
class Summary:
    """The graded games of a player on one level, with one start rule."""

    player: str
    level: Level
    start: str
    games: int
    won: int
    win_before: float
    """The mean chance to win before the first move."""
    loss: float
    """The mean chance that choices lost, in a game."""
    margin: float
    """Half the 95 % interval of `loss`; infinite for one game."""
    luck: float
    accuracy: float
    needless: float
    """Needless guesses in a game."""

    @property
    def comparison(self) -> str | None:
        """How well the player chooses beside known ones, in a sentence; None for too few games.

        Of a known player it says what that loses in the long run.
        """
        known = losses_of_players(self.level, Start(self.start))
        if not known or self.games < ENOUGH:
            return None
        if self.player == BEST:
            return f"{self.player} is the judge: by its own judgement, its choices lose nothing."
        if self.player in known:
            return f"Over many games, {self.player} loses {known[self.player]:.1%} of a game."
        nearest = min(known, key=lambda name: abs(known[name] - self.loss))
        if abs(known[nearest] - self.loss) <= max(self.margin, DIGIT):
            return (
                f"{self.player} chooses about as well as {nearest}, which loses "
                f"{known[nearest]:.1%} of a game."
            )
        better = max((n for n in known if known[n] < self.loss), key=known.__getitem__, default="")
        worse = min((n for n in known if known[n] > self.loss), key=known.__getitem__, default="")
        sides = [
            f"{side} than {name}, which loses {known[name]:.1%} of a game"
            for side, name in (("better", worse), ("worse", better))
            if name
        ]
        return f"{self.player} chooses {', and '.join(sides)}."


def summarise(games: Sequence[Mapping[str, Any]]) -> list[Summary]:
    """Sums up games, as `report.grade_to_json` returns them, player by player."""
    groups: dict[tuple[str, Level, str], list[Mapping[str, Any]]] = {}
    for game in games:
        level = Level(game["rows"], game["cols"], game["mines"])
        groups.setdefault((game["player"], level, game["start"]), []).append(game)
    return [_summary(*key, group) for key, group in groups.items()]


def _summary(player: str, level: Level, start: str, games: list[Mapping[str, Any]]) -> Summary:
    losses = [game["loss"] for game in games]
    spread = stdev(losses) if len(losses) > 1 else inf
    return Summary(
        player=player,
        level=level,
        start=start,
        games=len(games),
        won=sum(game["outcome"] == "won" for game in games),
        win_before=fmean(game["win_before"] for game in games),
        loss=fmean(losses),
        margin=Z_95 * spread / sqrt(len(losses)),
        luck=fmean(game["luck"] for game in games),
        accuracy=fmean(game["accuracy"] for game in games),
        needless=fmean(game["needless_guesses"] for game in games),
    )
