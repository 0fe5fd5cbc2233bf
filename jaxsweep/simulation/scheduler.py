"""Many games at once on a device: lanes hold games, and wait in line for what they need next.

A turn takes the games that wait for one thing, as many as go in step, and does it to them. Whose
game is over leaves its lane to a new one. All of that is one program on the device: it comes back
with records of finished games, and with games that want the host's help.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Bool, Int, UInt32

from jaxsweep.rules import bitboard
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.game import GameStatus
from jaxsweep.runtime.machine import Device
from jaxsweep.runtime.materialize import materialize
from jaxsweep.simulation import episode
from jaxsweep.simulation.episode import Episode, OpeningArrays, Stage, batched
from jaxsweep.strategies import AbstractStrategy, Readiness

BUCKET = 256
"""Games that go in step: few enough that their boards stay in a core's cache."""

SWEEPS = 8
"""Looks at the board in one turn, before games line up again."""

HOST_SHARE = 8
"""The host is asked when one lane in so many waits for it: one call for few games is dear."""

AXIS = "lanes"


class Ended(eqx.Module):
    """Finished games, last: all that is written down of them."""

    lane: Episode
    won: Bool[Array, "*games"]
    opened: Int[Array, "*games"]
    """Safe cells open."""


class State(eqx.Module):
    """A device's lanes, the games it has still to deal, and those it has finished."""

    lanes: Episode
    next: UInt32[Array, ""]
    end: UInt32[Array, ""]
    step: UInt32[Array, ""]
    """From one game number to the next: devices deal in turn."""
    ended: Ended
    count: Int[Array, ""]


class Plan(NamedTuple):
    """What a device's program is compiled for."""

    strategy: AbstractStrategy
    lanes: int
    """Games under way on a device."""
    records: int
    """Finished games that there is room for."""


def start(plan: Plan, table: OpeningArrays, first: int, end: int, step: int) -> State:
    """Empty lanes, and games `first`, `first + step`, … before `end` to be dealt."""
    like = jax.eval_shape(episode.deal, table, jnp.uint32(0), jnp.uint32(0))
    room = plan.records + BUCKET

    def empty(size: int) -> Episode:
        zeros = jax.tree.map(lambda leaf: jnp.zeros((*leaf.shape, size), leaf.dtype), like)
        return eqx.tree_at(
            lambda lane: lane.stage, zeros, jnp.full((size,), Stage.EMPTY, jnp.int32)
        )

    return State(
        lanes=empty(plan.lanes),
        next=jnp.uint32(first),
        end=jnp.uint32(end),
        step=jnp.uint32(step),
        ended=_ended(table.broadcast(room), empty(room)),
        count=jnp.int32(0),
    )


def _ended(table: OpeningArrays, lane: Episode) -> Ended:
    won = episode.status(table, lane) == GameStatus.WON
    return Ended(lane, won, bitboard.count(lane.opened & ~lane.mines))


def run(plan: Plan, seed: UInt32[Array, ""], table: OpeningArrays, state: State) -> State:
    """Takes turns until records are to be fetched, or the host is wanted, or all is done."""
    state = eqx.tree_at(lambda s: s.count, state, jnp.int32(0))
    tables = table.broadcast(BUCKET)

    def waiting(state: State) -> Int[Array, " stages"]:
        stages = jnp.arange(len(Stage), dtype=jnp.int32)
        sizes = jnp.sum(state.lanes.stage[None, :] == stages[:, None], axis=1, dtype=jnp.int32)
        dealt = state.next >= state.end
        return sizes.at[Stage.EMPTY].set(jnp.where(dealt, 0, sizes[Stage.EMPTY]))

    def wanted(state: State) -> Bool[Array, ""]:
        sizes = waiting(state)
        at_work = jnp.sum(sizes, dtype=jnp.int32) - sizes[Stage.HOST]
        room = state.count + BUCKET <= plan.records
        return room & (at_work > 0) & (sizes[Stage.HOST] < host_wanted(plan.lanes))

    def turn(state: State) -> State:
        sizes = waiting(state).at[Stage.HOST].set(0)
        # Of the lines that fill a bucket the last: it frees lanes soonest. Else the longest.
        full = jnp.minimum(sizes, BUCKET) * len(Stage) + jnp.arange(len(Stage), dtype=jnp.int32)
        stage = jnp.argmax(jnp.where(sizes > 0, full, -1)).astype(jnp.int32)
        index, there = bitboard.compact(state.lanes.stage == stage, BUCKET)
        bucket = jax.tree.map(lambda leaf: leaf[..., index], state.lanes)
        branches = {
            Stage.SWEEP: partial(_sweep, plan, tables),
            Stage.PAIR: partial(_pairs, tables),
            Stage.GUESS: partial(_guess, plan, tables, seed),
            Stage.HOST: lambda given: given.bucket,
            Stage.OVER: partial(_deal, table, seed),
            Stage.EMPTY: partial(_deal, table, seed),
        }
        given = _Given(bucket, there, state.next, state.end, state.step)
        after = jax.lax.switch(stage, [branches[stage] for stage in Stage], given)
        place = jnp.where(there, index, plan.lanes)
        used = jnp.sum(there, dtype=jnp.int32)
        # A bucket of finished games is written as a whole; what is of no game in it, the next one
        # overwrites. Turns of other stages write there too, and do not count.
        ended = jax.tree.map(
            lambda room, new: jax.lax.dynamic_update_slice_in_dim(room, new, state.count, -1),
            state.ended,
            _ended(tables, bucket),
        )
        dealt = (stage == Stage.OVER) | (stage == Stage.EMPTY)
        return State(
            lanes=jax.tree.map(
                lambda leaf, new: leaf.at[..., place].set(new, mode="drop"), state.lanes, after
            ),
            next=state.next + jnp.where(dealt, used, 0).astype(jnp.uint32) * state.step,
            end=state.end,
            step=state.step,
            ended=ended,
            count=state.count + jnp.where(stage == Stage.OVER, used, 0),
        )

    return jax.lax.while_loop(wanted, turn, state)


def host_wanted(size: int) -> int:
    """How many of a device's lanes wait for the host before it is asked."""
    return -(-size // HOST_SHARE)


class _Given(NamedTuple):
    """A bucket of games, the places in it that are filled, and the games to be dealt."""

    bucket: Episode
    there: Bool[Array, " bucket"]
    next: UInt32[Array, ""]
    end: UInt32[Array, ""]
    step: UInt32[Array, ""]


def _sweep(plan: Plan, tables: OpeningArrays, given: _Given) -> Episode:
    """Some looks at every number; who is stuck waits for the others."""

    def step(state):
        bucket, done = state
        going = given.there & (bucket.stage == Stage.SWEEP)
        after = episode.sweep(tables, plan.strategy.rules, bucket).lane
        return episode.pick(going, after, bucket), done + 1

    def more(state):
        bucket, done = state
        return (done < SWEEPS) & jnp.any(given.there & (bucket.stage == Stage.SWEEP))

    return jax.lax.while_loop(more, step, (given.bucket, jnp.int32(0)))[0]


def _pairs(tables: OpeningArrays, given: _Given) -> Episode:
    return episode.look_at_pairs(tables, given.bucket).lane


def _guess(plan: Plan, tables: OpeningArrays, seed: UInt32[Array, ""], given: _Given) -> Episode:
    """The player's guesses, those that it can make on the device."""
    bucket = blank(given.bucket, given.there, tables.cells)
    positions = materialize(episode.view(tables, bucket))
    keys = batched(partial(episode.key_for, seed=seed))(bucket)
    answer = plan.strategy.guess_on_device(positions, keys)
    if answer is None:
        stage = jnp.full_like(bucket.stage, Stage.HOST)
        return eqx.tree_at(lambda lane: lane.stage, bucket, stage)
    move, ready = answer
    after = episode.guessed(bucket, move)
    stage = jnp.where(ready == Readiness.NEEDS_HOST, Stage.HOST, Stage.GUESS).astype(jnp.int32)
    waiting = eqx.tree_at(lambda lane: lane.stage, bucket, stage)
    return episode.pick(ready == Readiness.READY, after, waiting)


def blank(bucket: Episode, there: Bool[Array, " bucket"], cells: Bits) -> Episode:
    """In places that hold no game, a board without mines, all open: nothing to think about."""
    opened = bitboard.select(there, bucket.opened, cells)
    mines, known = (bitboard.mask(there, boards) for boards in (bucket.mines, bucket.known))
    return eqx.tree_at(lambda x: (x.mines, x.opened, x.known), bucket, (mines, opened, known))


def _deal(table: OpeningArrays, seed: UInt32[Array, ""], given: _Given) -> Episode:
    """New games, while there are numbers for them; else empty lanes."""
    rank = (bitboard.running_count(given.there) - 1).astype(jnp.uint32)
    number = given.next + rank * given.step
    dealt = batched(partial(episode.deal, table, seed))(number)
    stage = jnp.where(number < given.end, Stage.SWEEP, Stage.EMPTY).astype(jnp.int32)
    return eqx.tree_at(lambda lane: lane.stage, dealt, stage)


@lru_cache(maxsize=16)
def program(plan: Plan, devices: tuple[Device, ...]) -> Callable[..., State]:
    """`run` on several devices side by side, compiled: their states have an axis more in front."""

    def one(seed: UInt32[Array, ""], table: OpeningArrays, states: State) -> State:
        after = run(plan, seed, table, jax.tree.map(lambda leaf: leaf[0], states))
        return jax.tree.map(lambda leaf: leaf[None], after)

    every, split = PartitionSpec(), PartitionSpec(AXIS)
    mesh = Mesh(np.array(devices), (AXIS,))
    return jax.jit(
        jax.shard_map(
            one, mesh=mesh, in_specs=(every, every, split), out_specs=split, check_vma=False
        ),
        donate_argnums=2,
    )


def place(states: list[State], devices: tuple[Device, ...]) -> State:
    """One state a device, where `program` wants them."""
    sharding = NamedSharding(Mesh(np.array(devices), (AXIS,)), PartitionSpec(AXIS))
    stacked = jax.tree.map(lambda *leaves: np.stack([np.asarray(x) for x in leaves]), *states)
    return jax.device_put(stacked, sharding)
