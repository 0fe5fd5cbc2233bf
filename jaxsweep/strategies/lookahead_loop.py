"""The look-ahead of a batch of positions as one loop on the device.

All questions to the exact engine go through one loop with one copy of the engine in it, because
compiling the engine is most of a start. The first round asks about the positions themselves, the
next about pairs of cells that may become a 50/50, and all others about afterstates of candidates,
a batch at a time, the best candidates of all positions first. A candidate that can no longer be
the best is pruned. What the engine has no room for in one round comes first in the next.
"""

import enum
from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.engines import device_exact
from jaxsweep.engines.device_beliefs import unknown
from jaxsweep.rules import arrays, bitboard, frontier
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.lookahead import LookaheadSettings
from jaxsweep.strategies.candidates import CandidateArrays
from jaxsweep.strategies.fifty_fifty import FiftyFifties
from jaxsweep.strategies.outcomes import Outcomes, afterstates

ValueFunction = Callable[[Beliefs, Position], Float[Array, " batch"]]
"""The value of positions, from 0 to 1, given beliefs about them."""


class Round(enum.IntEnum):
    """What a round of the loop asks the engine about."""

    POSITIONS = 0
    FIFTY_FIFTIES = 1
    AFTERSTATES = 2


class LookaheadState(eqx.Module):
    """What the loop knows of a batch of positions, last."""

    round: Int[Array, ""]
    beliefs: Beliefs
    fifty_fifties: FiftyFifties
    outcomes: Outcomes
    pending: Bool[Array, "candidates numbers batch"]
    """Afterstates that are still to be evaluated."""


def look_ahead(
    positions: Position,
    wanted: Callable[[Beliefs], Bool[Array, " batch"]],
    value: ValueFunction,
    settings: LookaheadSettings,
) -> tuple[Beliefs, Outcomes, Bool[Array, " batch"]]:
    """Infers beliefs about a batch of positions, and evaluates the candidates of some of them.

    `wanted` tells from the beliefs which positions are looked at more closely, and `value` is that
    of an afterstate. The last result tells where questions that matter were beyond the engine's
    capacity. Batch last.
    """
    batch = positions.mines.shape[0]
    none = CandidateArrays.none(settings.max_candidates, batch)
    start = LookaheadState(
        round=jnp.asarray(Round.POSITIONS, jnp.int32),
        beliefs=unknown(positions),
        fifty_fifties=FiftyFifties.none(positions),
        outcomes=Outcomes.unknown(none),
        pending=none.shows,
    )
    end = jax.lax.while_loop(
        lambda state: (state.round != Round.AFTERSTATES) | jnp.any(state.pending),
        partial(_round, positions, wanted, value, settings),
        start,
    )
    unsure = end.outcomes.undecided(end.beliefs.log_layouts)
    unsure |= jnp.any(end.fifty_fifties.over_capacity, axis=0)
    return end.beliefs, end.outcomes, unsure


def _round(
    positions: Position,
    wanted: Callable[[Beliefs], Bool[Array, " batch"]],
    value: ValueFunction,
    settings: LookaheadSettings,
    state: LookaheadState,
) -> LookaheadState:
    """Asks the engine one batch of questions, and puts its answers into the state."""
    index, there = _next_questions(state)
    asked = _positions_to_ask(positions, state, index, there)
    found = materialize(device_exact.infer(materialize(frontier.reduce(asked, trust_flags=True))))
    answered = there & (found.status != Status.BATCH_FULL)

    def after_positions():
        pairs = state.fifty_fifties
        if settings.fifty_fifties:
            pairs = FiftyFifties.of(positions, found, wanted(found))
        return found, pairs, state.outcomes, state.pending

    def after_fifty_fifties():
        log_layouts = state.beliefs.log_layouts
        pairs = state.fifty_fifties.updated(index, answered, found, log_layouts)
        return state.beliefs, pairs, state.outcomes, state.pending

    def after_afterstates():
        outcomes = state.outcomes.updated(index, answered, found, value(found, asked))
        hopeful = outcomes.may_be_best(state.beliefs.log_layouts)[:, None]
        pending = outcomes.candidates.shows & ~outcomes.evaluated & hopeful
        return state.beliefs, state.fifty_fifties, outcomes, pending

    beliefs, fifty_fifties, outcomes, pending = jax.lax.switch(
        state.round, (after_positions, after_fifty_fifties, after_afterstates)
    )
    evaluating = state.round == Round.AFTERSTATES
    ready = ~evaluating & ~jnp.any(fifty_fifties.pending)

    def choose_candidates():
        candidates = CandidateArrays.of(
            positions,
            beliefs,
            fifty_fifties,
            wanted(beliefs),
            settings.candidate_ratio,
            settings.max_candidates,
        )
        return Outcomes.unknown(candidates), candidates.shows

    outcomes, pending = jax.lax.cond(ready, choose_candidates, lambda: (outcomes, pending))
    following = jnp.where(ready | evaluating, Round.AFTERSTATES, Round.FIFTY_FIFTIES)
    return LookaheadState(following.astype(jnp.int32), beliefs, fifty_fifties, outcomes, pending)


def _next_questions(
    state: LookaheadState,
) -> tuple[Int[Array, " batch"], Bool[Array, " batch"]]:
    """Returns the places of the next questions in their flattened arrays, and which are filled."""
    batch = state.pending.shape[-1]
    of_afterstates, of_pairs = (
        arrays.compact(pending.reshape(-1), batch)
        for pending in (state.pending, state.fifty_fifties.pending)
    )
    evaluating = state.round == Round.AFTERSTATES
    index, there = jax.tree.map(partial(jnp.where, evaluating), of_afterstates, of_pairs)
    first = state.round == Round.POSITIONS
    return jnp.where(first, jnp.arange(batch, dtype=jnp.int32), index), there


def _positions_to_ask(
    positions: Position,
    state: LookaheadState,
    index: Int[Array, " batch"],
    there: Bool[Array, " batch"],
) -> Position:
    """Builds the positions of one round; empty places are blank, with nothing to count."""
    mines = materialize(jnp.asarray(bitboard.pack(state.beliefs.mines)))
    asked = jax.lax.cond(
        state.round == Round.AFTERSTATES,
        lambda: afterstates(positions, mines, state.outcomes.candidates, index, there),
        lambda: state.fifty_fifties.conditioned(positions, mines, index, there),
    )
    filled = there | (state.round == Round.POSITIONS)
    return jax.tree.map(
        lambda leaf: jnp.where(jnp.broadcast_to(filled, leaf.shape), leaf, jnp.zeros_like(leaf)),
        asked,
    )
