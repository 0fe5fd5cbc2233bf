"""How often the loops and branches of a JAX program run, counted by the program itself.

XLA's cost analysis counts the body of a loop once, whatever its number of iterations. Here a
program is traced, and the same program is written again with a counter at each loop and each
branch. The name of a loop or branch becomes part of the names in the compiled program, where
`hlo_counts` finds it again.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun
from jaxtyping import Array, Bool, Int, PyTree

SITE = "site_"
"""The prefix of the name of a loop or branch; the number of its first counter follows."""

COUNTER = "trip_counter"
"""The name of all instructions that count."""

_INLINED = {
    "jit": "jaxpr",
    "closed_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vmap_call": "call",
}
"""Primitives that call a function, and the parameter that holds it."""


def with_trip_counts(
    function: Callable[..., PyTree],
) -> Callable[..., tuple[PyTree, Int[Array, " counters"]]]:
    """Returns a function that also returns the counts of its loops and branches.

    A loop has two counters: how often it was entered, and its iterations in all. A branch has one
    for each of its alternatives. Instructions of a loop or branch whose first counter is number
    `i` are in the scope `site_i` of the compiled program. Loops in the condition of a loop are not
    counted.
    """

    def counted(*arguments: PyTree) -> tuple[PyTree, Int[Array, " counters"]]:
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*arguments)
        counts = jnp.zeros((_counters(closed.jaxpr),), jnp.int32)
        results, counts = _evaluate(closed, jax.tree.leaves(arguments), counts, 0)
        return jax.tree.unflatten(jax.tree.structure(shape), results), counts

    return counted


def _counters(jaxpr: Jaxpr) -> int:
    """Returns how many counters the loops and branches of a program have."""
    return sum(_counters_of(equation) for equation in jaxpr.eqns)


def _counters_of(equation: Any) -> int:
    name, parameters = equation.primitive.name, equation.params
    if name in _INLINED:
        return _counters(parameters[_INLINED[name]].jaxpr)
    if name == "while":
        return 2 + _counters(parameters["body_jaxpr"].jaxpr)
    if name == "scan":
        return 2 + _counters(parameters["jaxpr"].jaxpr)
    if name == "cond":
        branches = parameters["branches"]
        return len(branches) + sum(_counters(branch.jaxpr) for branch in branches)
    return 0


Value = Any
"""An array, a number, or a random key."""

Counted = tuple[list[Value], Int[Array, " counters"]]
"""Results of a part of a program, and the counters after it."""


def _evaluate(
    closed: ClosedJaxpr, arguments: Sequence[Value], counts: Int[Array, " counters"], first: int
) -> Counted:
    """Runs a program whose counters begin at `first`."""
    jaxpr = closed.jaxpr
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    values |= dict(zip(jaxpr.invars, arguments, strict=True))

    def read(variable: Any) -> Any:
        return variable.val if isinstance(variable, Literal) else values[variable]

    for equation in jaxpr.eqns:
        given = [read(variable) for variable in equation.invars]
        results, counts = _evaluate_equation(equation, given, counts, first)
        values |= dict(zip(equation.outvars, results, strict=True))
        first += _counters_of(equation)
    return [read(variable) for variable in jaxpr.outvars], counts


def _evaluate_equation(
    equation: Any, given: list[Value], counts: Int[Array, " counters"], first: int
) -> Counted:
    name, parameters = equation.primitive.name, equation.params
    if name in _INLINED:
        return _evaluate(parameters[_INLINED[name]], given, counts, first)
    if name in _COUNTED:
        with jax.named_scope(f"{SITE}{first}"):
            return _COUNTED[name](parameters, given, counts, first)
    results = equation.primitive.bind(*given, **parameters)
    return (list(results) if equation.primitive.multiple_results else [results]), counts


def _increment(counts: Int[Array, " counters"], counter: int) -> Int[Array, " counters"]:
    with jax.named_scope(COUNTER):
        return counts.at[counter].add(1)


def _while(
    parameters: dict, given: list[Value], counts: Int[Array, " counters"], first: int
) -> Counted:
    of_condition, of_body = parameters["cond_nconsts"], parameters["body_nconsts"]
    condition_constants = given[:of_condition]
    body_constants = given[of_condition : of_condition + of_body]
    condition = jaxpr_as_fun(parameters["cond_jaxpr"])

    def active(state: Counted) -> Bool[Array, "*loops"]:
        return condition(*condition_constants, *state[0])[0]

    def more(state: Counted) -> Bool[Array, ""]:
        return jnp.any(active(state))

    def step(state: Counted) -> Counted:
        counts = _increment(state[1], first + 1)
        arguments = [*body_constants, *state[0]]
        after, counts = _evaluate(parameters["body_jaxpr"], arguments, counts, first + 2)
        which = active(state)
        # Loops that `vmap` has put together: each of them stops by itself.
        return [_select(which, a, b) for a, b in zip(after, state[0], strict=True)], counts

    start = given[of_condition + of_body :], _increment(counts, first)
    return jax.lax.while_loop(more, step, start)


def _select(which: Bool[Array, "*loops"], new: Value, old: Value) -> Value:
    """Returns the new values of the loops that go on; of a single loop, simply the new value."""
    if not which.ndim:
        return new
    return jnp.where(which.reshape(which.shape + (1,) * (new.ndim - which.ndim)), new, old)


def _scan(
    parameters: dict, given: list[Value], counts: Int[Array, " counters"], first: int
) -> Counted:
    of_constants, of_carry = parameters["num_consts"], parameters["num_carry"]
    constants, given = given[:of_constants], given[of_constants:]

    def step(state: Counted, slices: list[Value]) -> tuple[Counted, list[Value]]:
        counts = _increment(state[1], first + 1)
        arguments = [*constants, *state[0], *slices]
        results, counts = _evaluate(parameters["jaxpr"], arguments, counts, first + 2)
        return (results[:of_carry], counts), results[of_carry:]

    settings = {name: parameters[name] for name in ("length", "reverse", "unroll")}
    start = given[:of_carry], _increment(counts, first)
    (carry, counts), slices = jax.lax.scan(step, start, given[of_carry:], **settings)
    return [*carry, *slices], counts


def _cond(
    parameters: dict, given: list[Value], counts: Int[Array, " counters"], first: int
) -> Counted:
    index, *arguments = given
    inner, branches = first + len(parameters["branches"]), []
    for i, branch in enumerate(parameters["branches"]):

        def run(
            arguments: list[Value],
            counts: Int[Array, " counters"],
            branch: ClosedJaxpr = branch,
            counter: int = first + i,
            inner: int = inner,
        ) -> Counted:
            return _evaluate(branch, arguments, _increment(counts, counter), inner)

        branches.append(run)
        inner += _counters(branch.jaxpr)
    return jax.lax.switch(index.astype(jnp.int32), branches, arguments, counts)


_COUNTED = {"while": _while, "scan": _scan, "cond": _cond}
