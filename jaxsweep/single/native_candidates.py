"""Candidates evaluated in machine code: for analyses of many positions, one after the other."""

from collections.abc import Callable
from functools import cache

import numpy as np

from jaxsweep.scalar.exact import Solution
from jaxsweep.scalar.lookahead import Evaluated, Evaluations, Evaluator
from jaxsweep.scalar.players import BEST, PLAYERS, LookaheadPlayer
from jaxsweep.scalar.view import View


def is_compiled() -> bool:
    """Returns whether the machine code is on disk; else it takes minutes to make."""
    from jaxsweep.native.compiler import is_on_disk

    return is_on_disk("candidates.evaluate_fully")


@cache
def native_evaluator() -> Evaluator:
    """Returns what evaluates the candidates of `BEST`; loads or compiles it on the first call."""
    # Imported here: Numba takes longer to load than a position to analyse.
    from jaxsweep.native.board import make_record
    from jaxsweep.native.candidates import FOUND, NOT_REFINED, evaluate_fully
    from jaxsweep.native.players import make_workspace, settings_of

    player = PLAYERS[BEST]
    assert isinstance(player, LookaheadPlayer)
    settings = settings_of(player)
    found = make_record(FOUND)
    # End games are searched by the scalar path.
    workspace: Callable = cache(lambda rows, cols: make_workspace(rows, cols, 0))

    def evaluate(view: View, solution: Solution) -> Evaluations | None:
        cells = len(view.numbers)
        work = workspace(view.geometry.rows, view.geometry.cols)
        grid = np.minimum(np.array(view.numbers, np.int8), 8)
        work.solver.position["grid"][:cells] = grid
        if not evaluate_fully(np.int64(view.mines), settings, work, found):
            return None
        listed = range(int(found["count"]))
        cell = [int(found["cell"][i]) for i in listed]
        evaluated = [
            Evaluated(
                cell=cell[i],
                safety=1.0 - solution.risk(cell[i]),
                progress=float(found["progress"][i]),
                factor=1.0,
                value=float(found["value"][i]),
            )
            for i in listed
        ]
        deeper = {
            cell[i]: float(found["deeper"][i]) for i in listed if found["deeper"][i] != NOT_REFINED
        }
        return Evaluations(evaluated, deeper)

    return evaluate
