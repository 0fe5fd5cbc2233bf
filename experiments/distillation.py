"""A network that learns the mine probability of every cell from exact ones, on the device."""

from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float32, Int8, Int32, Key

from jaxsweep.datasets.positions import LabelledPositions
from jaxsweep.functional import COVERED
from networks import Head, Tower

SYMMETRIES = 8
"""Reflections and quarter turns of a square; of other rectangles, the first half of them."""


@dataclass(frozen=True)
class Settings:
    """What a run depends on, beside its data."""

    seed: int
    updates: int
    """Over which the learning rate falls to 0."""
    batch: int = 512
    channels: int = 32
    layers: int = 5
    learning_rate: float = 3e-3


class RiskNetwork(eqx.Module):
    """The mine probability of each cell, given an observation and the mines on the board."""

    tower: Tower
    head: Head

    def __init__(self, channels: int, layers: int, key: Key[Array, ""]):
        self.tower = Tower(channels, layers, key)
        self.head = Head(channels)

    def __call__(
        self, observation: Int8[Array, "batch rows cols"], mines: int
    ) -> Float32[Array, "batch cells"]:
        """Returns log-odds."""
        return self.head(self.tower(observation, mines))


class Safety(eqx.Module):
    """A player's scores: the lower the predicted risk, the higher."""

    network: RiskNetwork
    mines: int = eqx.field(static=True)

    def __call__(
        self, observation: Int8[Array, "batch rows cols"]
    ) -> Float32[Array, "batch cells"]:
        """Returns the scores of the cells."""
        return -self.network(observation, self.mines)


class Examples(eqx.Module):
    """Positions of one level, with the exact risk of each cell."""

    seen: Int8[Array, "positions rows cols"]
    risk: Float32[Array, "positions rows cols"]
    mines: int = eqx.field(static=True)

    @classmethod
    def of(cls, data: LabelledPositions) -> "Examples":
        """Returns a data set of one level on the device."""
        (mines,) = set(data.mine_count.tolist())
        return cls(jnp.asarray(data.seen), jnp.asarray(data.mine_probability), mines)


class Training(eqx.Module):
    """A network that is being trained."""

    network: RiskNetwork
    optimiser: optax.OptState
    updates: Int32[Array, ""]


def begin(settings: Settings) -> Training:
    """Returns a run before its first update."""
    network = RiskNetwork(settings.channels, settings.layers, jax.random.key(settings.seed))
    state = optimiser(settings).init(eqx.filter(network, eqx.is_array))
    return Training(network, state, jnp.int32(0))


def optimiser(settings: Settings) -> optax.GradientTransformation:
    """Returns Adam with clipped gradients and a learning rate that rises, then falls to 0."""
    warm = min(200, settings.updates // 10 + 1)
    rate = optax.warmup_cosine_decay_schedule(0.0, settings.learning_rate, warm, settings.updates)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))


@eqx.filter_jit
def train(
    training: Training, examples: Examples, settings: Settings, updates: int
) -> tuple[Training, dict]:
    """Makes some updates, in one program; returns the loss of each."""
    arrays, static = eqx.partition(training, eqx.is_array)

    def one(arrays, _):
        training = eqx.combine(arrays, static)
        key = jax.random.fold_in(jax.random.key(settings.seed), training.updates)
        parameters, rest = eqx.partition(training.network, eqx.is_array)
        part = draw(examples, settings.batch, key)
        loss, gradients = jax.value_and_grad(lambda each: loss_of(eqx.combine(each, rest), part))(
            parameters
        )
        changes, state = optimiser(settings).update(gradients, training.optimiser, parameters)
        network = eqx.apply_updates(training.network, changes)
        after = Training(network, state, training.updates + 1)
        return eqx.filter(after, eqx.is_array), {"loss": loss}

    arrays, facts = jax.lax.scan(one, arrays, length=updates)
    return eqx.combine(arrays, static), facts


def draw(examples: Examples, count: int, key: Key[Array, ""]) -> Examples:
    """Draws positions, with replacement, and one symmetry of the board for all of them."""
    which_key, symmetry_key = jax.random.split(key)
    which = jax.random.randint(which_key, (count,), 0, len(examples.seen), jnp.int32)
    rows, cols = examples.seen.shape[1:]
    symmetries = SYMMETRIES if rows == cols else SYMMETRIES // 2
    symmetry = jax.random.randint(symmetry_key, (), 0, symmetries, jnp.int32)
    ways = [partial(turn, symmetry=i) for i in range(symmetries)]
    seen, risk = (
        jax.lax.switch(symmetry, ways, leaf[which]) for leaf in (examples.seen, examples.risk)
    )
    return Examples(seen, risk, examples.mines)


def turn(boards: Array, symmetry: int) -> Array:
    """Applies a symmetry of the rectangle, or, from 4 on, of the square."""
    axes = [axis for axis, bit in ((1, 1), (2, 2)) if symmetry & bit]
    flipped = jnp.flip(boards, axes) if axes else boards
    return jnp.swapaxes(flipped, 1, 2) if symmetry & 4 else flipped


def loss_of(network: RiskNetwork, examples: Examples) -> Float32[Array, ""]:
    """The cross-entropy of predicted and exact risks, averaged over hidden cells."""
    odds = network(examples.seen, examples.mines)
    hidden = (examples.seen == COVERED).reshape(odds.shape)
    losses = optax.sigmoid_binary_cross_entropy(odds, examples.risk.reshape(odds.shape))
    return jnp.sum(losses, where=hidden) / jnp.sum(hidden, dtype=jnp.float32)


def predict(
    network: RiskNetwork, examples: Examples, batch: int = 1024
) -> Float32[np.ndarray, "positions rows cols"]:
    """Returns the predicted risk of each cell, also of open ones, where it has no meaning."""
    parts = [
        jax.device_get(_risks(network, examples.seen[i : i + batch], examples.mines))
        for i in range(0, len(examples.seen), batch)
    ]
    return np.concatenate(parts).reshape(examples.seen.shape)


@eqx.filter_jit
def _risks(
    network: RiskNetwork, seen: Int8[Array, "batch rows cols"], mines: int
) -> Float32[Array, "batch cells"]:
    return jax.nn.sigmoid(network(seen, mines))


def reliability(
    predicted: Float32[np.ndarray, " cells"],
    exact: Float32[np.ndarray, " cells"],
    games: np.ndarray,
    bins: int = 10,
) -> list[dict]:
    """Compares predicted with exact risks, by tenths of the prediction.

    The 95 % interval of the mean exact risk is that of a ratio of sums over games, since the cells
    of a game are alike: its half-width is 1.96 standard errors.
    """
    rows = []
    place = np.minimum((predicted * bins).astype(int), bins - 1)
    for i in range(bins):
        here = place == i
        if not here.any():
            continue
        mean = float(exact[here].mean())
        _, game = np.unique(games[here], return_inverse=True)
        excess = np.bincount(game, exact[here] - mean)
        half = 1.96 * float(np.sqrt((excess**2).sum())) / int(here.sum())
        rows.append(
            {
                "from": i / bins,
                "to": (i + 1) / bins,
                "cells": int(here.sum()),
                "predicted": float(predicted[here].mean()),
                "exact": mean,
                "interval_95": [max(0.0, mean - half), min(1.0, mean + half)],
            }
        )
    return rows


def hidden_of(examples: Examples) -> Bool[np.ndarray, "positions rows cols"]:
    """Returns the hidden cells on the host."""
    return np.asarray(examples.seen) == COVERED
