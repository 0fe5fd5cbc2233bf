"""Proximal policy optimisation (PPO; Schulman et al. 2017) of Minesweeper, on the device.

Games are stepped, and the network is improved, in one compiled program, as in PureJaxRL (Lu et al.
2022). All that training depends on is in `Training`: what is saved and loaded goes on as if it had
never been interrupted.
"""

from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float32, Int8, Int32, Key, UInt32

from jaxsweep.functional import COVERED, FunctionalEnvironment, FunctionalState
from jaxsweep.rules.level import Opening
from networks import Head, Tower, choices, hidden_cells


@dataclass(frozen=True)
class Settings:
    """What a run depends on."""

    opening: Opening
    seed: int
    updates: int
    """Over which the learning rate falls to 0."""
    games: int = 256
    """Games played at once."""
    steps: int = 16
    """Steps of each game between updates."""
    epochs: int = 2
    minibatches: int = 4
    channels: int = 32
    layers: int = 4
    learning_rate: float = 2e-3
    discount: float = 0.5
    trace: float = 0.9
    """The λ of generalised advantage estimation."""
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    progress: float = 0.2
    """The reward of a cell that is no mine and has an open neighbour."""
    guess: float = 0.0
    """That of one without an open neighbour: opening it could not follow from anything seen."""
    loss: float = -1.0
    win: float = 1.0

    def environment(self) -> FunctionalEnvironment:
        """Returns the environment that is played."""
        return FunctionalEnvironment(self.opening.level, self.opening.start)


class ActorCritic(eqx.Module):
    """A policy and a value, from the same features."""

    tower: Tower
    policy: Head
    hidden: eqx.nn.Linear
    value: eqx.nn.Linear
    mines: int = eqx.field(static=True)

    def __init__(self, channels: int, layers: int, mines: int, key: Key[Array, ""]):
        keys = jax.random.split(key, 3)
        self.tower = Tower(channels, layers, keys[0])
        self.policy = Head(channels)
        self.hidden = eqx.nn.Linear(2 * channels + 2, 64, key=keys[1])
        self.value = eqx.nn.Linear(64, "scalar", key=keys[2])
        self.mines = mines

    def __call__(
        self, observation: Int8[Array, "batch rows cols"]
    ) -> tuple[Float32[Array, "batch cells"], Float32[Array, " batch"]]:
        """Returns the logit of each cell, not masked, and the value of the position."""
        features = self.tower(observation, self.mines)
        hidden, (_, rows, cols) = hidden_cells(observation), observation.shape
        parts = [jnp.mean(features, axis=(1, 2)), jnp.max(features, axis=(1, 2))]
        parts += [hidden[:, None] / (rows * cols), self.mines / hidden[:, None]]
        pooled = jax.nn.relu(jax.vmap(self.hidden)(jnp.concatenate(parts, axis=1)))
        return self.policy(features), jax.vmap(self.value)(pooled)

    def scores(self, observation: Int8[Array, "batch rows cols"]) -> Float32[Array, "batch cells"]:
        """Returns the logits alone."""
        return self(observation)[0]


class Training(eqx.Module):
    """A network that is being trained, with all that decides how it goes on."""

    network: ActorCritic
    optimiser: optax.OptState
    games: FunctionalState
    observation: Int8[Array, "games rows cols"]
    key: UInt32[Array, "2"]
    """Raw data of a key."""
    updates: Int32[Array, ""]


class Experience(NamedTuple):
    """One decision of each game, and what came of it; or many decisions."""

    observation: Int8[Array, "*steps games rows cols"]
    action: Int32[Array, "*steps games"]
    log_probability: Float32[Array, "*steps games"]
    value: Float32[Array, "*steps games"]
    reward: Float32[Array, "*steps games"]
    over: Bool[Array, "*steps games"]
    won: Bool[Array, "*steps games"]


class Batch(NamedTuple):
    """Decisions to learn from."""

    observation: Int8[Array, "batch rows cols"]
    action: Int32[Array, " batch"]
    log_probability: Float32[Array, " batch"]
    advantage: Float32[Array, " batch"]
    target: Float32[Array, " batch"]


def begin(settings: Settings) -> Training:
    """Returns a run before its first update."""
    keys = jax.random.split(jax.random.key(settings.seed), 3)
    level = settings.opening.level
    network = ActorCritic(settings.channels, settings.layers, level.mines, keys[0])
    games = jax.vmap(settings.environment().init)(jax.random.split(keys[1], settings.games))
    return Training(
        network=network,
        optimiser=optimiser(settings).init(eqx.filter(network, eqx.is_array)),
        games=games,
        observation=jnp.full((settings.games, level.rows, level.cols), COVERED, jnp.int8),
        key=jax.random.key_data(keys[2]),
        updates=jnp.int32(0),
    )


def optimiser(settings: Settings) -> optax.GradientTransformation:
    """Returns Adam with clipped gradients and a learning rate that falls to 0."""
    gradients = settings.updates * settings.epochs * settings.minibatches
    rate = optax.linear_schedule(settings.learning_rate, 0.0, gradients)
    return optax.chain(optax.clip_by_global_norm(0.5), optax.adam(rate, eps=1e-5))


@eqx.filter_jit
def train(training: Training, settings: Settings, updates: int) -> tuple[Training, dict]:
    """Makes some updates, in one program; returns what is known of each of them."""
    arrays, static = eqx.partition(training, eqx.is_array)

    def one(arrays, _):
        after, facts = update(eqx.combine(arrays, static), settings)
        return eqx.filter(after, eqx.is_array), facts

    arrays, facts = jax.lax.scan(one, arrays, length=updates)
    return eqx.combine(arrays, static), facts


def update(training: Training, settings: Settings) -> tuple[Training, dict]:
    """Plays some steps of all games, and learns from them."""
    key, play_key, learn_key = jax.random.split(jax.random.wrap_key_data(training.key), 3)
    games, observation, seen = play(training, settings, play_key)
    _, last = training.network(observation)
    advantages = generalised_advantages(seen, last, settings.discount, settings.trace)
    batch = Batch(
        seen.observation, seen.action, seen.log_probability, advantages, advantages + seen.value
    )
    batch = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), batch)
    network, state, loss = learn(training.network, training.optimiser, batch, settings, learn_key)
    facts = {
        "finished": jnp.sum(seen.over, dtype=jnp.int32),
        "won": jnp.sum(seen.won, dtype=jnp.int32),
        "reward": jnp.mean(seen.reward),
        **loss,
    }
    after = Training(
        network, state, games, observation, jax.random.key_data(key), training.updates + 1
    )
    return after, facts


def play(
    training: Training, settings: Settings, key: Key[Array, ""]
) -> tuple[FunctionalState, Int8[Array, "games rows cols"], Experience]:
    """Plays by the policy; games that are over are followed by new ones."""
    environment, first = settings.environment(), settings.opening.first

    def step(carry, key):
        states, observation = carry
        logits, value = training.network(observation)
        log_policy = log_policy_of(logits, observation, first)
        action = jax.random.categorical(key, log_policy).astype(jnp.int32)
        chosen = jnp.take_along_axis(log_policy, action[:, None], axis=1)[:, 0]
        states, timestep = jax.vmap(environment.step_and_reset)(states, action)
        reward = rewards_of(settings, observation, action, timestep.terminated, timestep.won)
        seen = Experience(
            observation, action, chosen, value, reward, timestep.terminated, timestep.won
        )
        return (states, timestep.observation), seen

    keys = jax.random.split(key, settings.steps)
    (states, observation), seen = jax.lax.scan(step, (training.games, training.observation), keys)
    return states, observation, seen


def log_policy_of(
    logits: Float32[Array, "batch cells"],
    observation: Int8[Array, "batch rows cols"],
    first: tuple[int, int],
) -> Float32[Array, "batch cells"]:
    """Returns the logarithm of the probability of each cell: −∞ for one that may not be opened."""
    return jax.nn.log_softmax(jnp.where(choices(observation, first), logits, -jnp.inf))


def rewards_of(
    settings: Settings,
    observation: Int8[Array, "batch rows cols"],
    action: Int32[Array, " batch"],
    over: Bool[Array, " batch"],
    won: Bool[Array, " batch"],
) -> Float32[Array, " batch"]:
    """Returns the rewards of steps, given what was seen before them. The first cell has none."""
    is_open = observation != COVERED
    batch, rows, cols = is_open.shape
    padded = jnp.pad(is_open, ((0, 0), (1, 1), (1, 1)))
    beside = jnp.stack([padded[:, r : r + rows, c : c + cols] for r, c in np.ndindex(3, 3)])
    has_neighbour = jnp.any(beside, axis=0).reshape(batch, rows * cols)[jnp.arange(batch), action]
    safe = jnp.where(has_neighbour, settings.progress, settings.guess)
    ended = jnp.where(won, settings.win, settings.loss)
    began = jnp.any(is_open, axis=(1, 2))
    return jnp.where(over, ended, jnp.where(began, safe, 0.0)).astype(jnp.float32)


def generalised_advantages(
    seen: Experience, last: Float32[Array, " games"], discount: float, trace: float
) -> Float32[Array, "steps games"]:
    """Estimates advantages (GAE; Schulman et al. 2016); `last` are values after the last step."""

    def back(carry, step):
        advantage, following = carry
        reward, value, over = step
        goes_on = jnp.where(over, 0.0, discount).astype(jnp.float32)
        error = reward + goes_on * following - value
        advantage = error + goes_on * trace * advantage
        return (advantage, value), advantage

    steps = seen.reward, seen.value, seen.over
    return jax.lax.scan(back, (jnp.zeros_like(last), last), steps, reverse=True)[1]


def learn(
    network: ActorCritic,
    state: optax.OptState,
    batch: Batch,
    settings: Settings,
    key: Key[Array, ""],
) -> tuple[ActorCritic, optax.OptState, dict]:
    """Improves the network by some epochs over a batch, in minibatches."""
    arrays, static = eqx.partition(network, eqx.is_array)
    size = batch.action.size // settings.minibatches

    def one(carry, which):
        arrays, state = carry
        part = jax.tree.map(lambda leaf: leaf[which], batch)
        gradients, facts = jax.grad(loss_of, has_aux=True)(arrays, static, part, settings)
        changes, state = optimiser(settings).update(gradients, state, arrays)
        return (eqx.apply_updates(arrays, changes), state), facts

    orders = [
        jax.random.permutation(each, batch.action.size)[: size * settings.minibatches]
        for each in jax.random.split(key, settings.epochs)
    ]
    parts = jnp.concatenate(orders).reshape(-1, size)
    (arrays, state), facts = jax.lax.scan(one, (arrays, state), parts)
    return eqx.combine(arrays, static), state, jax.tree.map(jnp.mean, facts)


def loss_of(
    arrays: ActorCritic, static: ActorCritic, batch: Batch, settings: Settings
) -> tuple[Float32[Array, ""], dict]:
    """The clipped surrogate of PPO, the error of the value, and a bonus for entropy."""
    logits, value = eqx.combine(arrays, static)(batch.observation)
    log_policy = log_policy_of(logits, batch.observation, settings.opening.first)
    chosen = jnp.take_along_axis(log_policy, batch.action[:, None], axis=1)[:, 0]
    ratio = jnp.exp(chosen - batch.log_probability)
    spread = jnp.std(batch.advantage) + 1e-6
    advantage = (batch.advantage - jnp.mean(batch.advantage)) / spread
    clipped = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    surrogate = jnp.mean(jnp.minimum(ratio * advantage, clipped * advantage))
    error = jnp.mean(jnp.square(value - batch.target))
    # Masked cells are −∞, of probability 0: they would make 0 · ∞.
    finite = jnp.where(jnp.isfinite(log_policy), log_policy, 0.0)
    entropy = -jnp.mean(jnp.sum(jnp.exp(log_policy) * finite, axis=-1))
    loss = -surrogate + settings.value * error - settings.entropy * entropy
    facts = {
        "loss": loss,
        "entropy": entropy,
        "value_error": error,
        "clipped": jnp.mean((jnp.abs(ratio - 1) > settings.clip).astype(jnp.float32)),
    }
    return loss, facts
