"""One game under way, as the arena plays it: what each look at the board does to it.

Functions take one game or a batch of them, last; only `deal` and `key_for`, which draw by lot, are
for one. A game is a function of the opening, the strategy, the seed and the game's number alone.
"""

import enum
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Integer, Key

from jaxsweep.rules import bitboard, game
from jaxsweep.rules.bitboard import Bits
from jaxsweep.rules.deduction import Certain, Rule, count_rule, pair_round
from jaxsweep.rules.game import Game, GameStatus, Seed
from jaxsweep.rules.level import Opening
from jaxsweep.rules.position import Position
from jaxsweep.runtime.materialize import materialize
from jaxsweep.strategies import UNKNOWN_RISK, Move, Reason, Rules


class OpeningArrays(eqx.Module):
    """An opening as arrays: boards of one container size share one compiled kernel.

    Beside a batch of games, it is as many times the same, last.
    """

    cells: Bits
    allowed_mines: Bits
    mines: Int[Array, "*batch"]
    row: Int[Array, "*batch"]
    col: Int[Array, "*batch"]

    @classmethod
    def of(cls, opening: Opening) -> "OpeningArrays":
        """The arrays of an opening."""
        row, col = opening.first
        return cls(
            cells=jnp.asarray(opening.cells()),
            allowed_mines=jnp.asarray(opening.allowed_mines()),
            mines=jnp.asarray(opening.level.mines, jnp.int32),
            row=jnp.asarray(row, jnp.int32),
            col=jnp.asarray(col, jnp.int32),
        )

    def broadcast(self, games: int) -> "OpeningArrays":
        """The same for each of so many games."""
        return jax.tree.map(
            lambda leaf: jnp.broadcast_to(leaf[..., None], (*leaf.shape, games)), self
        )


class Stage(enum.IntEnum):
    """What a game waits for."""

    SWEEP = 0
    """A look at every number."""
    PAIR = 1
    """A look at every two numbers: one at a time, they say no more."""
    GUESS = 2
    """The player's guess: no rule finds a safe cell."""
    HOST = 3
    """The player's guess, made on the host: the device cannot."""
    OVER = 4
    """To be written down: won or lost."""
    EMPTY = 5
    """A game to be dealt: there is none here."""


class Episode(eqx.Module):
    """A game under way, or a batch of them, last."""

    mines: Bits
    opened: Bits
    known: Bits
    """Mines that the player knows of."""
    number: Integer[Array, "*batch"]
    stage: Int[Array, "*batch"]
    clicks: Int[Array, "*batch"]
    rounds: Int[Array, "*batch"]
    guesses: Int[Array, "*batch"]
    asked: Int[Array, "*batch"]
    """How often the player was asked for a guess, and found a certain cell or guessed."""
    blind: Int[Array, "*batch"]
    wrong: Int[Array, "*batch"]
    log_survival: Float[Array, "*batch"]
    """The logarithm of the chance to survive all guesses so far whose risk was known."""
    first_risk: Float[Array, "*batch"]
    """Of the first guess; `UNKNOWN_RISK` before it, or where it was not known."""
    judged: Bool[Array, "*batch"]
    """Whether the last guess is known to have been one of least risk."""


def _deal(table: OpeningArrays, seed: Seed, number: Seed) -> Game:
    key = game.deal_key(game.game_key(seed, number))
    return game.deal(key, table.cells, table.allowed_mines, table.mines)


def deal(table: OpeningArrays, seed: Seed, number: Seed) -> Episode:
    """A new game with its first cell open; what opens around it does so in the first looks."""
    dealt, none = _deal(table, seed, number), jnp.int32(0)
    first = bitboard.single(table.row, table.col, dealt.cells)
    # A board full of mines is won before it begins.
    playing = game.status(dealt) == GameStatus.PLAYING
    return Episode(
        mines=dealt.mines,
        opened=jnp.where(playing, first, jnp.uint32(0)),
        known=jnp.zeros_like(dealt.mines),
        number=jnp.asarray(number),
        stage=jnp.int32(Stage.SWEEP),
        clicks=jnp.int32(1),
        rounds=none,
        guesses=none,
        asked=none,
        blind=none,
        wrong=none,
        log_survival=jnp.float32(0.0),
        first_risk=jnp.float32(UNKNOWN_RISK),
        judged=jnp.asarray(True),
    )


def status(table: OpeningArrays, lane: Episode) -> Int[Array, "*batch"]:
    """The game's status."""
    return game.status(Game(table.cells, lane.mines, lane.opened, lane.known))


def view(table: OpeningArrays, lane: Episode) -> Position:
    """What the player sees; mines that it knows of are flagged."""
    return game.view(Game(table.cells, lane.mines, lane.opened, lane.known & ~lane.opened))


def key_for(lane: Episode, seed: Seed) -> Key[Array, ""]:
    """The key that the player may use for its next guess."""
    return game.move_key(game.game_key(seed, lane.number), lane.asked)


class Look(eqx.Module):
    """What came of a look at the board: the game after it, and cells the player opened."""

    lane: Episode
    opens: Bits
    reason: Int[Array, "*batch"]
    """The rule by which they are safe."""
    floods: Bool[Array, "*batch"]
    """Whether cells opened by themselves, beside a 0; then the player waits."""


def sweep(table: OpeningArrays, rules: Rules, lane: Episode) -> Look:
    """Opens what opens by itself; if nothing does, what the player finds one number at a time.

    A number that has as many hidden neighbours as it counts mines: all of them are mines. A number
    whose mines are all known: its other hidden neighbours are safe. Without either, on to the
    next stage, or the end.
    """
    hidden = table.cells & ~lane.opened
    numbers = bitboard.neighbour_counts(lane.mines)
    shown = lane.opened & ~lane.mines
    zero = shown & ~(numbers[0] | numbers[1] | numbers[2] | numbers[3])
    full, met = jnp.zeros_like(zero), jnp.zeros_like(zero)
    if rules >= Rules.SINGLE:
        full = bitboard.equal(numbers, bitboard.neighbour_counts(hidden)) & shown
        met = bitboard.equal(numbers, bitboard.neighbour_counts(lane.known)) & shown
    zero, full, met = materialize((zero, full, met))
    flood, opens, known = materialize(
        (
            bitboard.dilate(zero) & hidden,
            bitboard.dilate(met) & hidden & ~lane.known,
            lane.known | (bitboard.dilate(full) & hidden),
        )
    )
    floods = bitboard.any_set(flood)
    opens = bitboard.mask(~floods, opens)
    found = bitboard.any_set(opens)
    going = floods | found | bitboard.any_set(known ^ lane.known)
    lost = bitboard.any_set(lane.opened & lane.mines)
    over = lost | ~bitboard.any_set(hidden & ~lane.mines)
    after = Stage.PAIR if rules >= Rules.PAIR else Stage.GUESS
    stage = jnp.where(over, Stage.OVER, jnp.where(going, Stage.SWEEP, after))
    opens = bitboard.mask(~over, opens)
    known = bitboard.select(over, lane.known, known)  # Beside an open mine, numbers prove nothing.
    opened = lane.opened | bitboard.mask(~lost, flood) | opens
    moved = _opened(lane, opens, found & ~over)
    moved = eqx.tree_at(
        lambda x: (x.opened, x.known, x.stage), moved, (opened, known, stage.astype(jnp.int32))
    )
    return Look(moved, opens, jnp.full_like(lane.stage, Rule.SINGLE), floods & ~over)


def look_at_pairs(table: OpeningArrays, lane: Episode) -> Look:
    """Opens what two numbers together, or the number of mines left, prove safe."""
    position, nothing = view(table, lane), jnp.zeros_like(lane.known)
    before = Certain(nothing, lane.known, nothing, nothing)
    after = count_rule(position, materialize(pair_round(position, before)))
    by_pair = after.safe & after.by_pair
    pairs = bitboard.any_set(by_pair)
    opens = bitboard.select(pairs, by_pair, after.safe)
    found = bitboard.any_set(opens)
    going = found | bitboard.any_set(after.mines ^ lane.known)
    stage = jnp.where(going, Stage.SWEEP, Stage.GUESS).astype(jnp.int32)
    moved = _opened(lane, opens, found)
    moved = eqx.tree_at(
        lambda x: (x.opened, x.known, x.stage), moved, (lane.opened | opens, after.mines, stage)
    )
    rule = jnp.where(pairs, Rule.PAIR, Rule.COUNT).astype(jnp.int32)
    return Look(moved, opens, rule, jnp.zeros_like(pairs))


def _opened(lane: Episode, opens: Bits, found: Bool[Array, "*batch"]) -> Episode:
    """The counts after the player opened certain cells, if it found some."""
    hit = bitboard.any_set(opens & lane.mines)
    return eqx.tree_at(
        lambda x: (x.clicks, x.rounds, x.wrong),
        lane,
        (
            lane.clicks + bitboard.count(opens),
            lane.rounds + found.astype(jnp.int32),
            lane.wrong + hit.astype(jnp.int32),
        ),
    )


def guessed(lane: Episode, move: Move) -> Episode:
    """The game after the player's own move: a guess, or cells that it proved safe."""
    is_guess, known_risk = move.reason >= Reason.IN_ORDER, move.risk >= 0
    hit = bitboard.any_set(move.opens & lane.mines)
    risk = jnp.clip(move.risk, 0.0, 1.0 - jnp.finfo(jnp.float32).epsneg)
    first = is_guess & (lane.guesses == 0)
    return Episode(
        mines=lane.mines,
        opened=lane.opened | move.opens,
        known=(lane.known | move.flags) & ~move.opens,
        number=lane.number,
        stage=jnp.full_like(lane.stage, Stage.SWEEP),
        clicks=lane.clicks + bitboard.count(move.opens),
        rounds=lane.rounds + 1,
        guesses=lane.guesses + is_guess.astype(jnp.int32),
        asked=lane.asked + 1,
        blind=lane.blind + (~known_risk).astype(jnp.int32),
        wrong=lane.wrong + (hit & ~is_guess).astype(jnp.int32),
        log_survival=lane.log_survival + jnp.where(known_risk, jnp.log1p(-risk), 0.0),
        first_risk=jnp.where(first, move.risk, lane.first_risk),
        judged=jnp.where(is_guess, move.reason == Reason.LEAST_RISK, lane.judged),
    )


def pick(which: Bool[Array, "*batch"], these: Episode, others: Episode) -> Episode:
    """The games of `these` where `which` holds, else of `others`."""

    def leaves(a: Array, b: Array) -> Array:
        return jnp.where(which.reshape((1,) * (a.ndim - which.ndim) + which.shape), a, b)

    return jax.tree.map(leaves, these, others)


batched = partial(jax.vmap, in_axes=-1, out_axes=-1)
