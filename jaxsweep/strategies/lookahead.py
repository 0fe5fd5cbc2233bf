"""Look one number ahead: of the nearly safest cells, open the one with the best afterstates."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from jaxsweep.engines.beliefs import Beliefs, Status
from jaxsweep.inference import infer
from jaxsweep.rules import bitboard
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.strategies.base import (
    AbstractStrategy,
    Advice,
    Move,
    Reason,
    Rules,
    batch_of_one,
    first_of_batch,
)
from jaxsweep.strategies.endgame import is_before_endgame
from jaxsweep.strategies.least_risk import Decision, LeastRisk, seeds_of
from jaxsweep.strategies.lookahead_host import Evaluation, evaluate
from jaxsweep.strategies.lookahead_loop import LookaheadSettings, look_ahead
from jaxsweep.strategies.outcomes import Outcomes, best_candidate_moves

SECOND_WEIGHT = 0.4
"""The weight of the second safest cell in the value of an afterstate."""


class Lookahead(AbstractStrategy):
    """Evaluates every number that a few candidates may show, and searches the end game."""

    candidate_ratio: float = 0.85
    """Candidates have at least so many times the merit of the best cell."""
    max_candidates: int = 8
    """The most candidates: by merit, then by fewest hidden neighbours."""
    endgame_layouts: int = 100
    """With at most so many layouts left, the end game is searched."""
    fifty_fifties: bool = True
    """Whether pairs that may become a 50/50 are looked for."""

    @property
    def rules(self) -> Rules:
        """All deduction rules."""
        return Rules.PAIR

    @property
    def _least_risk(self) -> LeastRisk:
        """What is played where there is nothing to look ahead for."""
        return LeastRisk(endgame_layouts=self.endgame_layouts)

    @property
    def settings(self) -> LookaheadSettings:
        """What the look-ahead is to do."""
        return LookaheadSettings(
            two_safest, self.candidate_ratio, self.max_candidates, self.fifty_fifties
        )

    def looks_ahead(self, beliefs: Beliefs) -> Bool[Array, " batch"]:
        """Tells where nothing is certain and it is not the end game: on the device, batch last."""
        certain = jnp.any(beliefs.safe, axis=(0, 1))
        many = is_before_endgame(jnp.asarray(beliefs.log_layouts), self.endgame_layouts)
        return (jnp.asarray(beliefs.status) == Status.EXACT) & ~certain & jnp.asarray(many)

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]] | None:
        """As `guess`, but for end games and what is over the device's capacity."""
        beliefs, outcomes = look_ahead(positions, self.looks_ahead, self.settings)
        return self.decide_on_device(positions, beliefs, outcomes, keys)

    def decide_on_device(
        self,
        positions: Position,
        beliefs: Beliefs,
        outcomes: Outcomes,
        keys: Key[Array, " batch"],
    ) -> tuple[Move, Int[Array, " batch"]]:
        """Returns the moves that the outcomes lead to, and a `Readiness` for each."""
        move, ready = self._least_risk.decide_on_device(positions, materialize(beliefs), keys)
        wanted = self.looks_ahead(beliefs)
        return best_candidate_moves(wanted, move, beliefs, outcomes), ready

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """As on the device, with an engine of larger capacity, and the end-game search."""
        decision = self._least_risk.decide(positions, keys, infer(positions, None, seeds_of(keys)))
        moves, host = jax.device_get((decision.moves, positions))
        for i in np.nonzero(self._looks_ahead_on_host(decision))[0].tolist():
            one, own = (
                jax.tree.map(lambda leaf, i=i: leaf[..., [i]], batch) for batch in (host, moves)
            )
            beliefs = jax.tree.map(lambda leaf, i=i: leaf[[i]], decision.beliefs)
            evaluation = self._evaluate(one, own, beliefs)
            moves = jax.tree.map(
                lambda leaf, new, i=i: _with_entry(leaf, i, new), moves, evaluation.move
            )
        return jax.tree.map(jnp.asarray, moves)

    def advise(
        self,
        position: Position,
        key: Key[Array, ""],
        beliefs: Beliefs | None = None,
        layouts: int | None = None,
    ) -> Advice:
        """As `guess`, with the candidates and their win probability: exact in the end game."""
        positions, keys = batch_of_one(position), key[None]
        known, layouts = self._least_risk.known_beliefs(positions, keys, beliefs, layouts)
        decision = self._least_risk.decide(positions, keys, known)
        if not self._looks_ahead_on_host(decision)[0]:
            return decision.advice(0, layouts)
        evaluation = self._evaluate(positions, decision.moves, known)
        return Advice(
            move=first_of_batch(evaluation.move),
            beliefs=jax.tree.map(lambda leaf: leaf[0], known),
            layouts=layouts,
            candidates=evaluation.candidates(),
        )

    def _looks_ahead_on_host(self, decision: Decision) -> Bool[np.ndarray, " batch"]:
        """Tells where the least risk was taken, and looking ahead may find better."""
        log_layouts = np.asarray(decision.beliefs.log_layouts)
        guessed = np.asarray(decision.moves.reason) == Reason.LEAST_RISK
        return guessed & np.asarray(is_before_endgame(log_layouts, self.endgame_layouts))

    def _evaluate(self, position: Position, move: Move, beliefs: Beliefs) -> Evaluation:
        return evaluate(position, move, beliefs.to_device(), self.settings)


def _with_entry(batch: np.ndarray, index: int, entry: Array) -> np.ndarray:
    """Returns a batch, last, with one entry replaced by a batch of one."""
    whole = np.array(batch)
    whole[..., [index]] = entry
    return whole


def two_safest(beliefs: Beliefs, positions: Position) -> Float[Array, " batch"]:
    """Returns the value of afterstates: a mean of the safety of their two safest useful cells.

    A cell is useful if its number can say something about others: if an uncertain cell is next to
    it. If there is none, the uncertain cells count; the value is 1 where everything is certain.
    """
    mines, safe = (jnp.asarray(bitboard.pack(cells)) for cells in (beliefs.mines, beliefs.safe))
    maybe = materialize(positions.hidden & ~mines)
    uncertain = materialize(maybe & ~safe)
    ones, twos, fours, eights = bitboard.neighbour_counts(uncertain)
    useful = materialize(maybe & (ones | twos | fours | eights))
    cells = materialize(bitboard.select(bitboard.any_set(useful), useful, uncertain))
    there = jnp.asarray(bitboard.unpack(cells, beliefs.mine_probability.shape[1]))
    risk = materialize(jnp.where(there, beliefs.mine_probability, 2.0))
    first = jnp.min(risk, axis=(0, 1))
    least = risk == first[None, None]
    second = jnp.min(jnp.where(least, 2.0, risk), axis=(0, 1))
    alone = (jnp.sum(least, axis=(0, 1), dtype=jnp.int32) == 1) & (second <= 1.0)
    second = jnp.where(alone, second, first)
    value = 1.0 - (1.0 - SECOND_WEIGHT) * first - SECOND_WEIGHT * second
    return jnp.where(first > 1.0, 1.0, value)
