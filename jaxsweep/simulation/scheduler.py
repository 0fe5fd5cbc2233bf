"""A scheduler of many episodes on a device.

A device has a fixed number of slots, each with one episode. Each turn gathers a bucket of episodes
that are at the same stage, advances them together, and scatters them back. A finished episode is
recorded and its slot gets a new game. All of this is one compiled program; it returns to the host
with records of finished games, and with the positions in which the host is to guess, and is called
again with these guesses.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep.rules import arrays, bitboard
from jaxsweep.rules.bitboard import Bits, vmap_last
from jaxsweep.rules.game import GameStatus
from jaxsweep.runtime import programs
from jaxsweep.runtime.machine import Device
from jaxsweep.runtime.materialize import materialize
from jaxsweep.simulation import episode
from jaxsweep.simulation.device_state import (
    Answers,
    DeviceState,
    FinishedEpisodes,
    ProgramConfig,
    Questions,
    initial_state,
    no_answers,
    no_questions,
)
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage
from jaxsweep.strategies import Readiness

SINGLE_ROUNDS = 8
"""The most rounds of the single-cell rules in one turn."""


def run(
    config: ProgramConfig,
    seed: UInt32[Array, ""],
    opening: OpeningArrays,
    state: DeviceState,
    answers: Answers,
) -> tuple[DeviceState, Questions]:
    """Applies the host's guesses, and takes turns until the host has something to do.

    It is to fetch records, to guess, or to end the run as all games are over.
    """
    state = _apply_answers(config, state, answers)
    openings = opening.broadcast(config.bucket)

    def queue_sizes(state: DeviceState) -> Int[Array, " stages"]:
        stages = jnp.arange(len(Stage), dtype=jnp.int32)
        sizes = jnp.sum(state.episodes.stage[None, :] == stages[:, None], axis=1, dtype=jnp.int32)
        all_dealt = state.next_game >= state.end_game
        return sizes.at[Stage.EMPTY].set(jnp.where(all_dealt, 0, sizes[Stage.EMPTY]))

    def should_continue(state: DeviceState) -> Bool[Array, ""]:
        sizes = queue_sizes(state)
        on_device = jnp.sum(sizes, dtype=jnp.int32) - sizes[Stage.HOST]
        has_room = state.finished_count + config.bucket <= config.max_records
        return has_room & (on_device > 0) & (sizes[Stage.HOST] < config.host_threshold)

    def keep(bucket: Bucket) -> Episode:
        return bucket.episodes

    def turn(state: DeviceState) -> DeviceState:
        sizes = queue_sizes(state).at[Stage.HOST].set(0)
        # Of the stages that fill a bucket the last, as it frees slots soonest; else the largest.
        stages = jnp.arange(len(Stage), dtype=jnp.int32)
        full = jnp.minimum(sizes, config.bucket) * len(Stage) + stages
        stage = jnp.argmax(jnp.where(sizes > 0, full, -1)).astype(jnp.int32)
        index, filled = arrays.compact(state.episodes.stage == stage, config.bucket)
        episodes = jax.tree.map(lambda leaf: leaf[..., index], state.episodes)
        branches = {
            Stage.SINGLE: partial(_single_rounds, config, openings),
            Stage.PAIR: partial(_pair_round, openings),
            Stage.GUESS: partial(_guess, config, openings, seed) if config.strategy else keep,
            Stage.HOST: keep,
            Stage.OVER: partial(_deal, opening, seed),
            Stage.EMPTY: partial(_deal, opening, seed),
        }
        bucket = Bucket(episodes, filled, state.next_game, state.end_game, state.stride)
        after = jax.lax.switch(stage, [branches[stage] for stage in Stage], bucket)
        if config.strategy is None:
            after = _leave_guesses_to_host(after)
        slot = jnp.where(filled, index, config.slots)
        used = jnp.sum(filled, dtype=jnp.int32)
        # Every turn writes its whole bucket after the last record. Only turns of stage OVER
        # advance the count; what lies past it is overwritten by the next turn.
        finished = jax.tree.map(
            lambda records, new: jax.lax.dynamic_update_slice_in_dim(
                records, new, state.finished_count, -1
            ),
            state.finished,
            _finish(openings, episodes),
        )
        dealt = (stage == Stage.OVER) | (stage == Stage.EMPTY)
        return DeviceState(
            episodes=jax.tree.map(
                lambda leaf, new: leaf.at[..., slot].set(new, mode="drop"), state.episodes, after
            ),
            next_game=state.next_game + jnp.where(dealt, used, 0).astype(jnp.uint32) * state.stride,
            end_game=state.end_game,
            stride=state.stride,
            finished=finished,
            finished_count=state.finished_count + jnp.where(stage == Stage.OVER, used, 0),
        )

    state = jax.lax.while_loop(should_continue, turn, state)
    return state, _ask(config, seed, opening, state)


def _finish(openings: OpeningArrays, episodes: Episode) -> FinishedEpisodes:
    won = episode.status(openings, episodes) == GameStatus.WON
    return FinishedEpisodes(episodes, won, bitboard.count(episodes.opened & ~episodes.mines))


def _apply_answers(config: ProgramConfig, state: DeviceState, answers: Answers) -> DeviceState:
    """Makes the host's guesses, and forgets finished games that it has fetched."""
    waiting = jax.tree.map(lambda leaf: leaf[..., answers.slot], state.episodes)
    after = episode.apply_move(waiting, answers.moves)
    slot = jnp.where(answers.answered, answers.slot, config.slots)
    episodes = jax.tree.map(
        lambda leaf, new: leaf.at[..., slot].set(new, mode="drop"), state.episodes, after
    )
    count = jnp.where(answers.fetched, 0, state.finished_count)
    return eqx.tree_at(lambda s: (s.episodes, s.finished_count), state, (episodes, count))


def _ask(
    config: ProgramConfig, seed: UInt32[Array, ""], opening: OpeningArrays, state: DeviceState
) -> Questions:
    """Returns what the episodes that wait for the host look like to the player."""
    size = config.max_questions
    slot, waiting = arrays.compact(state.episodes.stage == Stage.HOST, size)
    openings = opening.broadcast(size)
    episodes = jax.tree.map(lambda leaf: leaf[..., slot], state.episodes)
    episodes = clear_padding(episodes, waiting, openings.cells)
    positions = materialize(episode.view(openings, episodes))
    keys = vmap_last(partial(episode.key_for, seed=seed))(episodes)
    return Questions(slot, waiting, positions, jax.random.key_data(keys))


def _leave_guesses_to_host(episodes: Episode) -> Episode:
    stage = jnp.where(episodes.stage == Stage.GUESS, Stage.HOST, episodes.stage)
    return eqx.tree_at(lambda x: x.stage, episodes, stage.astype(jnp.int32))


class Bucket(NamedTuple):
    """The episodes of one turn, which of them are real, and the games to be dealt."""

    episodes: Episode
    filled: Bool[Array, " bucket"]
    next_game: UInt32[Array, ""]
    end_game: UInt32[Array, ""]
    stride: UInt32[Array, ""]


def _single_rounds(config: ProgramConfig, openings: OpeningArrays, bucket: Bucket) -> Episode:
    """Plays several single-cell rounds; episodes that leave the stage wait for the others."""

    def in_stage(episodes: Episode) -> Bool[Array, " bucket"]:
        return bucket.filled & (episodes.stage == Stage.SINGLE)

    def step(state):
        episodes, done = state
        active = in_stage(episodes)
        after = episode.play_single_round(openings, config.rules, episodes).episode
        return episode.select(active, after, episodes), done + 1

    def more(state):
        episodes, done = state
        return (done < SINGLE_ROUNDS) & jnp.any(in_stage(episodes))

    return jax.lax.while_loop(more, step, (bucket.episodes, jnp.int32(0)))[0]


def _pair_round(openings: OpeningArrays, bucket: Bucket) -> Episode:
    return episode.play_pair_round(openings, bucket.episodes).episode


def _guess(
    config: ProgramConfig, openings: OpeningArrays, seed: UInt32[Array, ""], bucket: Bucket
) -> Episode:
    """Makes the moves of the strategy that its device implementation can make."""
    episodes = clear_padding(bucket.episodes, bucket.filled, openings.cells)
    positions = materialize(episode.view(openings, episodes))
    keys = vmap_last(partial(episode.key_for, seed=seed))(episodes)
    assert config.strategy is not None, "its guesses are left to the host"
    answer = config.strategy.guess_on_device(positions, keys)
    assert answer is not None, "strategies that guess on the host only are not compiled"
    move, ready = answer
    after = episode.apply_move(episodes, move)
    stage = jnp.where(ready == Readiness.NEEDS_HOST, Stage.HOST, Stage.GUESS).astype(jnp.int32)
    waiting = eqx.tree_at(lambda x: x.stage, episodes, stage)
    return episode.select(ready == Readiness.READY, after, waiting)


def clear_padding(episodes: Episode, filled: Bool[Array, " bucket"], cells: Bits) -> Episode:
    """Replaces padding by solved boards without mines, which cost engines the least work."""
    opened = bitboard.select(filled, episodes.opened, cells)
    mines, known_mines = (
        bitboard.mask(filled, boards) for boards in (episodes.mines, episodes.known_mines)
    )
    return eqx.tree_at(
        lambda x: (x.mines, x.opened, x.known_mines), episodes, (mines, opened, known_mines)
    )


def _deal(opening: OpeningArrays, seed: UInt32[Array, ""], bucket: Bucket) -> Episode:
    """Deals new games while there are numbers left, else leaves the slots empty."""
    rank = (arrays.prefix_counts(bucket.filled) - 1).astype(jnp.uint32)
    game_number = bucket.next_game + rank * bucket.stride
    dealt = vmap_last(partial(episode.deal, opening, seed))(game_number)
    stage = jnp.where(game_number < bucket.end_game, Stage.SINGLE, Stage.EMPTY).astype(jnp.int32)
    return eqx.tree_at(lambda x: x.stage, dealt, stage)


def compile_program(
    config: ProgramConfig, opening: OpeningArrays, device: Device
) -> Callable[..., tuple[DeviceState, Questions]]:
    """Compiles `run` for a device, for all openings in a container of the same size.

    The program takes a seed, the opening, a state, which it overwrites, and answers.
    """
    rows, words = opening.cells.shape
    return _compile(config, rows, words, device)


@lru_cache(maxsize=16)
def _compile(
    config: ProgramConfig, rows: int, words: int, device: Device
) -> Callable[..., tuple[DeviceState, Questions]]:
    def program(
        seed: UInt32[Array, ""], opening: OpeningArrays, state: DeviceState, answers: Answers
    ) -> tuple[DeviceState, Questions]:
        return run(config, seed, opening, state, answers)

    function = jax.jit(program, donate_argnums=2)
    board, number = jax.device_put((np.zeros((rows, words), np.uint32), np.int32(0)), device)
    opening = OpeningArrays(board, board, mines=number, row=number, col=number)
    state = jax.device_put(initial_state(config, opening, 0, 0, 1), device)
    answers = jax.device_put(no_answers(config, opening), device)
    arguments = jax.device_put(np.uint32(0), device), opening, state, answers
    strategy = config.strategy
    if strategy is not None and not type(strategy).__module__.startswith("jaxsweep."):
        # Nobody would know when the source of this strategy changes.
        return function.lower(*arguments).compile()
    result = state, no_questions(config, opening)
    return programs.load_or_compile(function, arguments, result, [device], repr(config))
