"""The metrics of a game, whether it is known by its clicks or as a replay."""

from dataclasses import replace

from jaxsweep.metrics.game import GameMetrics, game_metrics
from jaxsweep.rules.clicks import Button, ClickedGame
from jaxsweep.single.replay.clicks import clicks_of
from jaxsweep.single.replay.format import HUMAN, Replay


def metrics_of(game: ClickedGame | Replay) -> GameMetrics:
    """Returns the metrics of a game; a replay has no clicks that did nothing."""
    return game_metrics(clicks_to_count(game))


def clicks_to_count(game: ClickedGame | Replay) -> ClickedGame:
    """Returns the clicks of a game; flags of strategies are notes of what they know, no clicks."""
    if isinstance(game, ClickedGame):
        return game
    clicked = clicks_of(game)
    if game.strategy == HUMAN:
        return clicked
    clicks = tuple(click for click in clicked.clicks if click.button is not Button.RIGHT)
    return replace(clicked, clicks=clicks)
