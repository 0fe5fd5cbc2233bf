"""The players: the parameters of each by name, and their advice in one position.

A player is defined here once. `jaxsweep.strategies` makes its strategy on devices of the same
definition, and both say the same.
"""

from dataclasses import dataclass

from jaxsweep.rules.board import Cell
from jaxsweep.rules.notation import GridPosition
from jaxsweep.rules.reasons import Reason, Rules
from jaxsweep.rules.threefry import KeyWords
from jaxsweep.scalar.advice import Advice
from jaxsweep.scalar.counting import OverBudgetError
from jaxsweep.scalar.endgame import search_endgame
from jaxsweep.scalar.exact import Counter, Solution, reduce
from jaxsweep.scalar.geometry import CellIndex, CellSet, indices
from jaxsweep.scalar.least_risk import fewest_hidden_neighbours, random_cell, safest_cells
from jaxsweep.scalar.lookahead import LookaheadSettings, Shortcuts, look_ahead
from jaxsweep.scalar.view import MAX_CELLS, View


@dataclass(frozen=True)
class InOrderPlayer:
    """Opens the first hidden cell, row by row: the weakest player, and a baseline."""

    @property
    def rules(self) -> Rules:
        """None: this player does not look at the numbers."""
        return Rules.NONE


@dataclass(frozen=True)
class RandomPlayer:
    """Opens a random hidden cell where its rules find nothing."""

    rules: Rules = Rules.NONE


@dataclass(frozen=True)
class LeastRiskPlayer:
    """Opens every certain cell, else one with the lowest mine probability."""

    engine: str | None = None
    """The name of the engine; None: the exact one, with estimates beyond its capacity."""
    random_ties: bool = False
    """Break all ties at random: weaker, and a published figure to check an engine by."""
    pairs: bool = True
    """Apply the rules of pairs of numbers and of the mine count, not only those of one number."""
    endgame_layouts: int = 0
    """With at most so many layouts left, the end game is searched; 0: never."""

    @property
    def rules(self) -> Rules:
        """The single-cell rules; with `pairs`, all rules."""
        return Rules.PAIR if self.pairs else Rules.SINGLE


@dataclass(frozen=True)
class LookaheadPlayer:
    """Evaluates every number that a few candidates may show, and searches the end game."""

    candidate_ratio: float = 0.85
    """Candidates have at least so many times the merit of the best cell."""
    max_candidates: int = 8
    """The most candidates: by merit, then by fewest hidden neighbours."""
    endgame_layouts: int = 100
    """With at most so many layouts left, the end game is searched."""
    fifty_fifties: bool = True
    """Whether pairs that may become a 50/50 are looked for."""
    second_weight: float = 0.65
    """The weight of the second safest cell in the value of an afterstate."""
    refined: int = 0
    """So many of the best candidates, if they are close, are evaluated one number deeper."""
    refined_margin: float = 0.02
    """Candidates are close if their expected values differ by no more."""
    deeper_candidates: int = 4
    """The most candidates of an afterstate, one number deeper."""

    @property
    def rules(self) -> Rules:
        """All deduction rules."""
        return Rules.PAIR

    @property
    def settings(self) -> LookaheadSettings:
        """How candidates are chosen and evaluated."""
        return LookaheadSettings(
            self.candidate_ratio,
            self.max_candidates,
            self.fifty_fifties,
            self.second_weight,
            self.refined,
            self.refined_margin,
            self.deeper_candidates,
        )


@dataclass(frozen=True)
class RolloutPlayer:
    """Looks ahead, and compares the best candidates by playouts; in machine code only."""

    lookahead: LookaheadPlayer
    """Whose candidates are compared."""
    playing_on: LeastRiskPlayer
    """Who plays the games out."""
    draws: int
    """Layouts on which every candidate is played out."""
    max_log_layouts: float
    """The logarithm of the most layouts with which candidates are compared."""
    compared: int
    """The most candidates that are compared."""
    margin: float
    """Candidates whose values are behind the best by more are not compared."""

    @property
    def rules(self) -> Rules:
        """All deduction rules."""
        return self.lookahead.rules


@dataclass(frozen=True)
class StrategyPlayer:
    """A player that has a strategy on devices only."""

    strategy: str
    """Its class, as `module:Class`; it is called without arguments."""


Player = (
    InOrderPlayer
    | RandomPlayer
    | LeastRiskPlayer
    | LookaheadPlayer
    | RolloutPlayer
    | StrategyPlayer
)

PLAYERS: dict[str, Player] = {
    "linear": InOrderPlayer(),
    "random": RandomPlayer(),
    "knowledge": RandomPlayer(Rules.SINGLE),
    "likelihood": LeastRiskPlayer("likelihood", pairs=False),
    "sampling": LeastRiskPlayer("sampling"),
    "edges": LeastRiskPlayer("edges"),
    "tilesets": LeastRiskPlayer("tilesets"),
    "bitmask": LeastRiskPlayer("bitmask"),
    "exact": LeastRiskPlayer(),
    "exact-random-ties": LeastRiskPlayer(random_ties=True),
    "endgame": LeastRiskPlayer(endgame_layouts=400),
    "lookahead": LookaheadPlayer(endgame_layouts=0),
    "strongest": LookaheadPlayer(max_candidates=16, endgame_layouts=1000, refined=5),
    "deepest": RolloutPlayer(
        LookaheadPlayer(max_candidates=16, endgame_layouts=20_000, refined=5),
        LeastRiskPlayer(endgame_layouts=200),
        draws=64,
        max_log_layouts=40.0,
        compared=4,
        margin=0.03,
    ),
}

BEST = "strongest"
"""The player that a person is shown, unless another is asked for."""

FAST = "endgame"
"""The player for games in bulk, unless another is asked for: nearly as strong, far faster."""


def advise(
    player: Player,
    position: GridPosition,
    key: KeyWords,
    counter: Counter | None = None,
    only_move: bool = False,
    shortcuts: Shortcuts | None = None,
) -> Advice | None:
    """Returns a player's advice in one position, in which its rules find no safe cell.

    With `only_move`, candidates that cannot be the best are not evaluated to the end.
    `shortcuts` may find what it takes long to find here.

    None if the scalar path has none: the player needs a device, machine code or another engine, the
    board is too large, a component has too many states, or the position is inconsistent.
    """
    if isinstance(player, StrategyPlayer | RolloutPlayer) or position.grid.size > MAX_CELLS:
        return None
    view = View.of(*position)
    if isinstance(player, InOrderPlayer | RandomPlayer):
        in_order = isinstance(player, InOrderPlayer)
        reason = Reason.IN_ORDER if in_order else Reason.AT_RANDOM
        mines = _known_mines(view) if player.rules >= Rules.SINGLE else 0
        cells = indices(view.hidden & ~mines)
        if not cells:
            return Advice((), _cells(view, mines), reason, None)
        return _guess(view, cells[0] if in_order else random_cell(cells, key), mines, reason)
    if isinstance(player, LeastRiskPlayer) and player.engine is not None:
        return None
    counter = Counter() if counter is None else counter
    try:
        view, solution = counter.solved(view)
    except OverBudgetError:
        return None
    if solution is None:
        return None
    return _advise(player, view, position, solution, counter, key, only_move, shortcuts)


def _advise(
    player: LeastRiskPlayer | LookaheadPlayer,
    view: View,
    position: GridPosition,
    solution: Solution,
    counter: Counter,
    key: KeyWords,
    only_move: bool,
    shortcuts: Shortcuts | None,
) -> Advice:
    """As `advise`, with the counts of the position."""
    if solution.safe or not solution.undecided:
        return Advice(
            _cells(view, solution.safe),
            _cells(view, solution.mines),
            Reason.NO_LAYOUT,
            risk=0.0,
            solution=solution,
            layouts=solution.layouts,
        )
    ties = safest_cells(solution)
    if 2 < solution.layouts <= player.endgame_layouts:
        search = None if shortcuts is None else shortcuts.endgame(view)
        if search is None:
            certain = view.geometry.to_mask(solution.mines)
            search = search_endgame(*position, certain, player.endgame_layouts)
        if search is not None:
            (row, col), _ = search.best_cell()
            return _guess(
                view,
                row * view.geometry.cols + col,
                solution.mines,
                Reason.BEST_ENDING,
                solution,
                search=search,
                ties=len(ties),
            )
    if isinstance(player, LookaheadPlayer) and solution.layouts > max(2, player.endgame_layouts):
        chosen, evaluated = look_ahead(
            view, solution, counter, player.settings, only_move, shortcuts=shortcuts
        )
        reason = Reason.LOOKAHEAD
        return _guess(view, chosen.cell, solution.mines, reason, solution, evaluated=evaluated)
    random_ties = isinstance(player, LeastRiskPlayer) and player.random_ties
    best = ties if random_ties else fewest_hidden_neighbours(view, ties)
    cell, reason = random_cell(best, key), Reason.LEAST_RISK
    return _guess(view, cell, solution.mines, reason, solution, ties=len(ties))


def _guess(
    view: View,
    cell: CellIndex,
    mines: CellSet,
    reason: Reason,
    solution: Solution | None = None,
    **found,
) -> Advice:
    cells, known = (view.geometry.cell(cell),), _cells(view, mines)
    if solution is None:
        return Advice(cells, known, reason, None)
    risk, layouts = solution.risk(cell), solution.layouts
    return Advice(cells, known, reason, risk, solution=solution, layouts=layouts, **found)


def _cells(view: View, cells: CellSet) -> tuple[Cell, ...]:
    return tuple(map(view.geometry.cell, indices(cells)))


def _known_mines(view: View) -> CellSet:
    """Returns the mines that the single-cell rules prove."""
    reduced = reduce(view, 0)
    return 0 if reduced is None else reduced[1]
