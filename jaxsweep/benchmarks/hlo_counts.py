"""Operations, bytes, launches and decisions of a compiled program, from its optimised HLO text.

The rules are those of XLA's cost analysis: one operation for each element of an elementwise result,
and the bytes of all arrays that a kernel reads and writes, or of the slices that it uses of them.
But XLA counts the body of every loop once. Here a body counts as often as it runs: by the program's
own counters (`trip_counts`), or by the number of iterations that the compiler knows.

An instruction that runs outside of a fusion is one launch, and a fusion is one. What only names
memory (tuples, bitcasts, parameters, constants) is none.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from jaxsweep.benchmarks.accelerator_model import Number, Work
from jaxsweep.benchmarks.hlo_module import Computation, Instruction, Module

_NO_WORK = {
    "add-dependency",
    "after-all",
    "bitcast",
    "constant",
    "get-tuple-element",
    "opt-barrier",
    "parameter",
    "partition-id",
    "replica-id",
    "tuple",
}
"""Instructions that launch nothing."""

_MOVES = _NO_WORK | {
    "all-gather",
    "broadcast",
    "call",
    "concatenate",
    "conditional",
    "copy",
    "copy-done",
    "copy-start",
    "custom-call",
    "dynamic-slice",
    "dynamic-update-slice",
    "fusion",
    "gather",
    "iota",
    "pad",
    "reshape",
    "reverse",
    "slice",
    "transpose",
    "while",
}
"""Instructions that compute nothing by themselves."""

_SLICES = {"dynamic-slice", "slice", "gather"}
"""Instructions that read parts of their first operand only."""

_UPDATE = {"dynamic-update-slice": 1, "scatter": -1}
"""Instructions that write parts of their first operand, and the operand that is written there."""


@dataclass(frozen=True)
class Counted:
    """The work of a program, and the loops about which nothing is known."""

    work: Work
    unknown_loops: int
    """Loops without a counter and without a known number of iterations: their bodies count once."""


def count_work(
    module: Module, counts: Sequence[int] | None = None, ignored: str | None = None
) -> Counted:
    """Counts the work of one execution of a module.

    Args:
        module: the compiled program.
        counts: the counters of its loops and branches. Without, every body counts once and every
            branch as the larger of its alternatives, as in XLA's own cost analysis.
        ignored: instructions in this scope do not count.

    """
    counter = _Counter(module, counts, ignored)
    return Counted(counter.computation(module.entry), len(counter.unknown))


class _Counter:
    """Counts computations, each once."""

    def __init__(self, module: Module, counts: Sequence[int] | None, ignored: str | None):
        self.module, self.counts, self.ignored = module, counts, ignored
        self.known: dict[str, Work] = {}
        self.unknown: set[str] = set()

    def computation(self, name: str) -> Work:
        """Returns the work of one execution of a computation."""
        if name not in self.known:
            computation, total = self.module.computations[name], Work()
            for instruction in computation.instructions.values():
                total += self.instruction(computation, instruction)
            self.known[name] = total
        return self.known[name]

    def instruction(self, computation: Computation, instruction: Instruction) -> Work:
        if instruction.opcode in _NO_WORK or (
            self.ignored and f"/{self.ignored}/" in instruction.op_name
        ):
            return Work()
        if instruction.opcode == "while":
            return self.loop(instruction)
        if instruction.opcode == "conditional":
            return self.branch(instruction)
        if instruction.opcode == "call":
            return self.computation(instruction.called("to_apply")[0])
        if instruction.opcode == "fusion":
            fused = self.module.computations[instruction.called("calls")[0]]
            moved = _fused_bytes(fused)
            return Work(self.operations(fused), moved, launches=1)
        moved = _bytes(computation, instruction)
        return Work(self.operations_of(computation, instruction), moved, launches=1)

    def loop(self, instruction: Instruction) -> Work:
        """Returns the work of all iterations of a loop, of which its condition has one more."""
        site, known = instruction.site, instruction.known_trips
        if self.counts is None:
            trips = tests = 1
        elif site is not None:
            trips = self.counts[site + 1] / max(self.counts[site], 1)
            tests = trips + 1
        elif known is not None:
            trips, tests = known, known + 1
        else:
            self.unknown.add(instruction.name)
            trips, tests = 1, 2
        body = self.computation(instruction.called("body")[0])
        test = self.computation(instruction.called("condition")[0])
        return body * trips + test * tests + Work(decisions=tests if known is None else 0)

    def branch(self, instruction: Instruction) -> Work:
        """Returns the mean work of a branch over its executions."""
        names = instruction.called("branch_computations") or [
            *instruction.called("false_computation"),
            *instruction.called("true_computation"),
        ]
        works, site = [self.computation(name) for name in names], instruction.site
        total, decision = Work(), Work(decisions=1)
        if site is None or self.counts is None:
            return max(works, key=lambda work: work.bytes) + decision
        runs = self.counts[site : site + len(works)]
        for work, times in zip(works, runs, strict=True):
            total += work * (times / max(sum(runs), 1))
        return total + decision

    def operations(self, computation: Computation) -> Number:
        """Returns the operations of a fused computation."""
        found = computation.instructions.values()
        return sum(self.operations_of(computation, each) for each in found)

    def operations_of(self, computation: Computation, instruction: Instruction) -> Number:
        if instruction.opcode == "fusion":
            fused = self.module.computations[instruction.called("calls")[0]]
            return self.operations(fused)
        if instruction.opcode in _MOVES:
            return 0
        operands = [computation.instructions[name] for name in instruction.operands]
        if instruction.opcode == "reduce":
            reduced = self.module.computations[instruction.called("to_apply")[0]]
            steps = operands[0].elements - instruction.elements
            return max(steps, 0) * self.operations(reduced)
        if instruction.opcode == "reduce-window":
            window = re.search(r"window=\{size=([\dx]+)", instruction.attributes)
            sizes = window[1].split("x") if window else []
            return instruction.elements * max(math.prod(int(size) for size in sizes) - 1, 0)
        if instruction.opcode == "scatter":
            return operands[-1].elements
        if instruction.opcode == "dot":
            contracted = re.search(r"lhs_contracting_dims=\{([\d,]*)\}", instruction.attributes)
            sizes = operands[0].dimensions
            which = contracted[1].split(",") if contracted else []
            return 2 * instruction.elements * math.prod(sizes[int(axis)] for axis in which)
        if instruction.opcode == "sort":
            return operands[0].elements * max(math.log2(max(operands[0].elements, 2)), 1)
        return instruction.elements


def _bytes(computation: Computation, instruction: Instruction) -> Number:
    """Returns the bytes that an instruction outside of fusions reads and writes."""
    operands = [computation.instructions[name] for name in instruction.operands]
    if instruction.opcode in _SLICES:
        return 2 * instruction.bytes + sum(each.bytes for each in operands[1:])
    if instruction.opcode == "dynamic-update-slice":
        return 2 * operands[1].bytes
    if instruction.opcode == "scatter":
        return 3 * operands[-1].bytes + operands[1].bytes
    return instruction.bytes + sum(each.bytes for each in operands)


def _fused_bytes(fused: Computation) -> Number:
    """Returns the bytes that a fusion reads and writes: of slices, only what is used of them."""
    total = sum(_read_bytes(fused, parameter) for parameter in fused.parameters)
    is_tuple = fused.root.opcode == "tuple"
    for name in fused.root.operands if is_tuple else [fused.root.name]:
        result = fused.instructions[name]
        while result.opcode == "bitcast":
            result = fused.instructions[result.operands[0]]
        update = _UPDATE.get(result.opcode)
        written = result if update is None else fused.instructions[result.operands[update]]
        total += written.bytes
    return total


def _read_bytes(fused: Computation, parameter: Instruction) -> Number:
    """Returns the bytes of a parameter that a fusion reads: at most all of it."""
    uses, total = fused.uses(parameter.name), 0
    for user, place in uses:
        if user.opcode in _SLICES and place == 0:
            total += user.bytes
        elif user.opcode == "scatter" and place == 0:
            total += fused.instructions[user.operands[_UPDATE["scatter"]]].bytes
        elif user.opcode != "dynamic-update-slice" or place:
            return parameter.bytes
    return min(total, parameter.bytes) if uses else parameter.bytes
