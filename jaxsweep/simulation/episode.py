"""One game in progress (an episode), and the steps that advance it.

Functions take one episode or a batch of them, batch last; only `deal` and `key_for`, which use
random keys, are for one. An episode is a function of the opening, the strategy, the seed and the
game's number alone.
"""

import enum

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Integer, Key

from jaxsweep.rules import bitboard, game
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.deduction import Certain, count_rule, pair_round, single_cell_numbers
from jaxsweep.rules.game import Game, GameNumber, GameStatus, Seed
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.rules.reasons import Reason, Rule, Rules
from jaxsweep.runtime.materialize import materialize
from jaxsweep.scalar.advice import UNKNOWN_RISK
from jaxsweep.strategies import Move


class OpeningArrays(eqx.Module):
    """An opening as arrays: boards with containers of one size share one compiled kernel.

    With a batch axis (see `broadcast`), it goes with a batch of episodes.
    """

    cells: Bits
    allowed_mines: Bits
    mines: Int[Array, "*batch"]
    row: Int[Array, "*batch"]
    col: Int[Array, "*batch"]

    @classmethod
    def of(cls, opening: Opening) -> "OpeningArrays":
        """Converts an opening to arrays."""
        row, col = opening.first
        return cls(
            cells=jnp.asarray(bitboard.rectangle(opening.level.rows, opening.level.cols)),
            allowed_mines=jnp.asarray(bitboard.pack(opening.allowed_mines())),
            mines=jnp.asarray(opening.level.mines, jnp.int32),
            row=jnp.asarray(row, jnp.int32),
            col=jnp.asarray(col, jnp.int32),
        )

    def broadcast(self, batch: int) -> "OpeningArrays":
        """Repeats the arrays along a last axis of size `batch`."""
        return jax.tree.map(
            lambda leaf: jnp.broadcast_to(leaf[..., None], (*leaf.shape, batch)), self
        )


class Stage(enum.IntEnum):
    """The step that an episode needs next."""

    SINGLE = 0
    """A round of flood fill or of the single-cell rules."""
    PAIR = 1
    """A round of the set-bound and mine-count rules: the single-cell rules find no more."""
    GUESS = 2
    """A move of the strategy: no rule finds a safe cell."""
    HOST = 3
    """A move of the strategy on the host: its device implementation cannot make it."""
    OVER = 4
    """To be recorded: won or lost."""
    EMPTY = 5
    """To be dealt: the slot holds no game."""


class Episode(eqx.Module):
    """A game in progress with its statistics; or a batch of them, batch last."""

    mines: Bits
    opened: Bits
    known_mines: Bits
    """The mines that the player has deduced."""
    game_number: Integer[Array, "*batch"]
    stage: Int[Array, "*batch"]
    clicks: Int[Array, "*batch"]
    rounds: Int[Array, "*batch"]
    guesses: Int[Array, "*batch"]
    strategy_moves: Int[Array, "*batch"]
    """Moves that the strategy chose: guesses, and cells that it proved safe."""
    unknown_risks: Int[Array, "*batch"]
    """Moves of the strategy whose risk it did not know."""
    wrong_certainties: Int[Array, "*batch"]
    """Moves that were claimed to be safe, and hit a mine."""
    log_survival: Float[Array, "*batch"]
    """The log-probability to survive all guesses so far whose risk was known."""
    first_risk: Float[Array, "*batch"]
    """The risk of the first guess; `UNKNOWN_RISK` if there is none or it is not known."""
    known_least_risk: Bool[Array, "*batch"]
    """Whether the last guess was compared with all other cells, and had the least risk."""


def deal(opening: OpeningArrays, seed: Seed, game_number: GameNumber) -> Episode:
    """Deals a game and opens its first cell; the flood fill follows in `play_single_round`."""
    mines = opening.mines
    dealt = game.deal_game(seed, game_number, opening.cells, opening.allowed_mines, mines)
    none = jnp.int32(0)
    first = bitboard.single(opening.row, opening.col, dealt.cells)
    # A board without a safe cell is won before the first click.
    playing = game.status(dealt) == GameStatus.PLAYING
    return Episode(
        mines=dealt.mines,
        opened=jnp.where(playing, first, jnp.uint32(0)),
        known_mines=jnp.zeros_like(dealt.mines),
        game_number=jnp.asarray(game_number),
        stage=jnp.int32(Stage.SINGLE),
        clicks=jnp.int32(1),
        rounds=none,
        guesses=none,
        strategy_moves=none,
        unknown_risks=none,
        wrong_certainties=none,
        log_survival=jnp.float32(0.0),
        first_risk=jnp.float32(UNKNOWN_RISK),
        known_least_risk=jnp.asarray(True),
    )


def status(opening: OpeningArrays, episode: Episode) -> Int[Array, "*batch"]:
    """Returns the `GameStatus`."""
    return game.status(Game(opening.cells, episode.mines, episode.opened, episode.known_mines))


def view(opening: OpeningArrays, episode: Episode) -> Position:
    """Returns what the player sees, with the mines that it has deduced as flags."""
    flags = episode.known_mines & ~episode.opened
    return game.view(Game(opening.cells, episode.mines, episode.opened, flags))


def key_for(episode: Episode, seed: Seed) -> Key[Array, ""]:
    """Returns the key that the strategy may use for its next move."""
    return game.move_key(game.game_key(seed, episode.game_number), episode.strategy_moves)


class RoundResult(eqx.Module):
    """The result of one round of deduction."""

    episode: Episode
    """The episode after the round."""
    opens: Bits
    """The cells that the player opened."""
    rule: Int[Array, "*batch"]
    """The `Rule` by which they are safe."""


def play_single_round(opening: OpeningArrays, rules: Rules, episode: Episode) -> RoundResult:
    """Plays one round of flood fill; if no cell opens by it, one of the single-cell rules.

    If neither finds anything, the episode goes on to its next stage, or is over. The round is not
    `deduction.single_cell_round`, since it shares the neighbour counts and the memory writes of
    both steps, and opens safe cells at once instead of collecting them.
    """
    hidden = opening.cells & ~episode.opened
    numbers = bitboard.neighbour_counts(episode.mines)
    shown = episode.opened & ~episode.mines
    zero = shown & ~(numbers[0] | numbers[1] | numbers[2] | numbers[3])
    all_mines, all_found = jnp.zeros_like(zero), jnp.zeros_like(zero)
    if rules >= Rules.SINGLE:
        all_mines, all_found = single_cell_numbers(numbers, shown, hidden, episode.known_mines)
    zero, all_mines, all_found = materialize((zero, all_mines, all_found))
    flood, opens, known_mines = materialize(
        (
            bitboard.dilate(zero) & hidden,
            bitboard.dilate(all_found) & hidden & ~episode.known_mines,
            episode.known_mines | (bitboard.dilate(all_mines) & hidden),
        )
    )
    floods = bitboard.any_set(flood)
    opens = bitboard.mask(~floods, opens)
    found = bitboard.any_set(opens)
    progress = floods | found | bitboard.any_set(known_mines ^ episode.known_mines)
    lost = bitboard.any_set(episode.opened & episode.mines)
    over = lost | ~bitboard.any_set(hidden & ~episode.mines)
    after = Stage.PAIR if rules >= Rules.PAIR else Stage.GUESS
    stage = jnp.where(over, Stage.OVER, jnp.where(progress, Stage.SINGLE, after))
    opens = bitboard.mask(~over, opens)
    # With a mine open, hidden cells are not all the cells that can be mines: deduce nothing.
    known_mines = bitboard.select(over, episode.known_mines, known_mines)
    opened = episode.opened | bitboard.mask(~lost, flood) | opens
    moved = _count_opened(episode, opens, found & ~over)
    moved = eqx.tree_at(
        lambda x: (x.opened, x.known_mines, x.stage),
        moved,
        (opened, known_mines, stage.astype(jnp.int32)),
    )
    return RoundResult(moved, opens, jnp.full_like(episode.stage, Rule.SINGLE))


def play_pair_round(opening: OpeningArrays, episode: Episode) -> RoundResult:
    """Plays one round of the set-bound rule, and of the mine-count rule if that opens nothing."""
    position, nothing = view(opening, episode), jnp.zeros_like(episode.known_mines)
    before = Certain(nothing, episode.known_mines, nothing, nothing)
    after = count_rule(position, materialize(pair_round(position, before)))
    by_pair = after.safe & after.by_pair
    pairs = bitboard.any_set(by_pair)
    opens = bitboard.select(pairs, by_pair, after.safe)
    found = bitboard.any_set(opens)
    progress = found | bitboard.any_set(after.mines ^ episode.known_mines)
    stage = jnp.where(progress, Stage.SINGLE, Stage.GUESS).astype(jnp.int32)
    moved = _count_opened(episode, opens, found)
    moved = eqx.tree_at(
        lambda x: (x.opened, x.known_mines, x.stage),
        moved,
        (episode.opened | opens, after.mines, stage),
    )
    rule = jnp.where(pairs, Rule.PAIR, Rule.COUNT).astype(jnp.int32)
    return RoundResult(moved, opens, rule)


def _count_opened(episode: Episode, opens: Bits, found: Bool[Array, "*batch"]) -> Episode:
    """Updates the statistics after the player opened deduced cells, if it found any."""
    hit = bitboard.any_set(opens & episode.mines)
    return eqx.tree_at(
        lambda x: (x.clicks, x.rounds, x.wrong_certainties),
        episode,
        (
            episode.clicks + bitboard.count(opens),
            episode.rounds + found.astype(jnp.int32),
            episode.wrong_certainties + hit.astype(jnp.int32),
        ),
    )


def apply_move(episode: Episode, move: Move) -> Episode:
    """Applies a move of the strategy: a guess, or cells that it proved safe."""
    opens, flags = jnp.asarray(move.opens), jnp.asarray(move.flags)
    is_guess, known_risk = move.reason >= Reason.IN_ORDER, move.risk >= 0
    hit = bitboard.any_set(opens & episode.mines)
    risk = jnp.clip(move.risk, 0.0, 1.0 - jnp.finfo(jnp.float32).epsneg)
    first = is_guess & (episode.guesses == 0)
    least_risk = move.reason == Reason.LEAST_RISK
    return Episode(
        mines=episode.mines,
        opened=episode.opened | opens,
        known_mines=(episode.known_mines | flags) & ~opens,
        game_number=episode.game_number,
        stage=jnp.full_like(episode.stage, Stage.SINGLE),
        clicks=episode.clicks + bitboard.count(opens),
        rounds=episode.rounds + 1,
        guesses=episode.guesses + is_guess.astype(jnp.int32),
        strategy_moves=episode.strategy_moves + 1,
        unknown_risks=episode.unknown_risks + (~known_risk).astype(jnp.int32),
        wrong_certainties=episode.wrong_certainties + (hit & ~is_guess).astype(jnp.int32),
        log_survival=episode.log_survival + jnp.where(known_risk, jnp.log1p(-risk), 0.0),
        first_risk=jnp.where(first, move.risk, episode.first_risk),
        known_least_risk=jnp.where(is_guess, least_risk, episode.known_least_risk),
    )


def select(which: Bool[Array, "*batch"], these: Episode, others: Episode) -> Episode:
    """Selects episodes of `these` where `which` holds, else of `others`."""

    def leaves(a: Array, b: Array) -> Array:
        return jnp.where(which.reshape((1,) * (a.ndim - which.ndim) + which.shape), a, b)

    return jax.tree.map(leaves, these, others)
