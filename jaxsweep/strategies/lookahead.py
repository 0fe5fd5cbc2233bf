"""Look ahead: of the nearly safest cells, open the one with the best afterstates."""

from functools import partial

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from jaxsweep.beliefs import Beliefs, Status
from jaxsweep.rules import bitboard
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Rules
from jaxsweep.rules.threefry import KeyWords
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.advice import Advice
from jaxsweep.scalar.endgame import is_before_endgame
from jaxsweep.scalar.players import LookaheadPlayer, advise
from jaxsweep.strategies.base import AbstractStrategy, Move, Readiness
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.lookahead_loop import look_ahead
from jaxsweep.strategies.native import guess_natively
from jaxsweep.strategies.one_by_one import guess_one_by_one
from jaxsweep.strategies.outcomes import Outcomes, best_candidate_moves

FEW_GAMES = 200
"""Expert games that the host plays in less time than the device's program takes to compile."""


class Lookahead(AbstractStrategy):
    """Evaluates every number that a few candidates may show, and searches the end game."""

    candidate_ratio: float = LookaheadPlayer.candidate_ratio
    """Candidates have at least so many times the merit of the best cell."""
    max_candidates: int = LookaheadPlayer.max_candidates
    """The most candidates: by merit, then by fewest hidden neighbours."""
    endgame_layouts: int = LookaheadPlayer.endgame_layouts
    """With at most so many layouts left, the end game is searched."""
    fifty_fifties: bool = LookaheadPlayer.fifty_fifties
    """Whether pairs that may become a 50/50 are looked for."""
    second_weight: float = LookaheadPlayer.second_weight
    """The weight of the second safest cell in the value of an afterstate."""
    refined: int = LookaheadPlayer.refined
    """So many of the best candidates, if they are close, are evaluated one number deeper."""
    refined_margin: float = LookaheadPlayer.refined_margin
    """Candidates are close if their expected values differ by no more."""
    deeper_candidates: int = LookaheadPlayer.deeper_candidates
    """The most candidates of an afterstate, one number deeper."""

    @property
    def rules(self) -> Rules:
        """All deduction rules."""
        return Rules.PAIR

    @property
    def few_games(self) -> int:
        """Far fewer than without a look ahead, which takes most of a game."""
        return FEW_GAMES

    @property
    def _least_risk(self) -> LeastRisk:
        """What is played where there is nothing to look ahead for."""
        return LeastRisk(endgame_layouts=self.endgame_layouts)

    @property
    def player(self) -> LookaheadPlayer:
        """The definition of the player."""
        return LookaheadPlayer(
            self.candidate_ratio,
            self.max_candidates,
            self.endgame_layouts,
            self.fifty_fifties,
            self.second_weight,
            self.refined,
            self.refined_margin,
            self.deeper_candidates,
        )

    def looks_ahead(self, beliefs: Beliefs) -> Bool[Array, " batch"]:
        """Tells where nothing is certain and it is not the end game: on the device, batch last."""
        certain = jnp.any(beliefs.safe, axis=(0, 1))
        many = is_before_endgame(jnp.asarray(beliefs.log_layouts), self.endgame_layouts)
        return (jnp.asarray(beliefs.status) == Status.EXACT) & ~certain & jnp.asarray(many)

    def guess_on_device(
        self, positions: Position, keys: Key[Array, " batch"]
    ) -> tuple[Move, Int[Array, " batch"]]:
        """As `guess`, but for end games and what is over the device's capacity."""
        if self.refined > 1:
            raise TypeError("more than one number ahead is looked on the host only")
        value = partial(two_safest, second_weight=self.second_weight)
        found = look_ahead(positions, self.looks_ahead, value, self.player.settings)
        return self.decide_on_device(positions, *found, keys)

    def decide_on_device(
        self,
        positions: Position,
        beliefs: Beliefs,
        outcomes: Outcomes,
        unsure: Bool[Array, " batch"],
        keys: Key[Array, " batch"],
    ) -> tuple[Move, Int[Array, " batch"]]:
        """Returns the moves that the outcomes lead to, and a `Readiness` for each.

        Where the outcomes are `unsure`, the host decides.
        """
        move, ready = self._least_risk.decide_on_device(positions, materialize(beliefs), keys)
        wanted = self.looks_ahead(beliefs)
        ready = jnp.where(wanted & unsure, Readiness.NEEDS_HOST, ready).astype(jnp.int32)
        return best_candidate_moves(wanted, move, beliefs, outcomes), ready

    def guesses_on(self, platform: str) -> bool:
        """On accelerators, if one number ahead is all: the host is faster on a CPU, or deeper."""
        return platform != "cpu" and self.refined <= 1

    def guess(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """As on the device, with an engine of larger capacity, and the end-game search."""
        return guess_natively(self.player, positions, keys, self.guess_one_by_one)

    def guess_one_by_one(self, positions: Position, keys: Key[Array, " batch"]) -> Move:
        """As `guess`, by the scalar path: nothing is compiled."""
        wide = self._least_risk.guess_by_engine
        return guess_one_by_one(self.player, positions, keys, wide)

    def advise(
        self,
        position: GridPosition,
        key: KeyWords,
        beliefs: Beliefs | None = None,
        layouts: int | None = None,
    ) -> Advice:
        """As `guess`, with the candidates and their win probability: exact in the end game.

        A position too wide for the scalar path is played at the least risk.
        """
        found = None if beliefs is not None else advise(self.player, position, key)
        if found is not None:
            return found
        return self._least_risk.advise_by_engine(position, key, beliefs, layouts)


def two_safest(
    beliefs: Beliefs, positions: Position, second_weight: float
) -> Float[Array, " batch"]:
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
    value = 1.0 - (1.0 - second_weight) * first - second_weight * second
    return jnp.where(first > 1.0, 1.0, value)
