"""The text of an optimised HLO module as data: computations, and their instructions."""

import math
import re
from dataclasses import dataclass
from functools import cached_property

_BITS = re.compile(r"(?:pred|token|opaque|[a-z]+?(\d+)\w*)$")
_ARRAY = re.compile(r"(\w+)\[([\d,]*)\]")
_OPERAND = re.compile(r"%([\w.\-]+)")
_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{\s*$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = ")
_SITE = re.compile(r"site_(\d+)/[^/]*$")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_OP_NAME = re.compile(r'op_name="([^"]*)"')


@dataclass(frozen=True)
class Instruction:
    """One line of a computation."""

    name: str
    shape: str
    opcode: str
    operands: tuple[str, ...]
    attributes: str

    @cached_property
    def elements(self) -> int:
        """The number of elements of its result."""
        return sum(_elements(dimensions) for _, dimensions in _ARRAY.findall(self.shape))

    @cached_property
    def bytes(self) -> int:
        """The size of its result."""
        arrays = _ARRAY.findall(self.shape)
        return sum(_elements(dimensions) * _width(kind) for kind, dimensions in arrays)

    @cached_property
    def op_name(self) -> str:
        """The scopes and the name of the JAX operation that it comes from."""
        found = _OP_NAME.search(self.attributes)
        return found[1] if found else ""

    @cached_property
    def site(self) -> int | None:
        """The first counter of a loop or branch; None of one that has none."""
        found = _SITE.search(self.op_name)
        return int(found[1]) if found else None

    @cached_property
    def known_trips(self) -> int | None:
        """The iterations of a loop, where the compiler knows their number."""
        found = _TRIPS.search(self.attributes)
        return int(found[1]) if found else None

    @cached_property
    def dimensions(self) -> tuple[int, ...]:
        """The dimensions of its result, or of the first array of several."""
        return tuple(int(size) for size in _ARRAY.findall(self.shape)[0][1].split(",") if size)

    def called(self, attribute: str) -> list[str]:
        """Returns the names of the computations that an attribute holds."""
        found = re.search(rf"\b{attribute}=(\{{[^}}]*\}}|%?[\w.\-]+)", self.attributes)
        return re.findall(r"%?([\w.\-]+)", found[1]) if found else []


def _elements(dimensions: str) -> int:
    return math.prod(int(size) for size in dimensions.split(",") if size)


def _width(kind: str) -> int:
    """Returns the bytes of one element; a truth value has one."""
    found = _BITS.match(kind)
    if not found or kind in ("token", "opaque"):
        return 0
    return max(1, int(found[1]) // 8) if found[1] else 1


@dataclass(frozen=True)
class Computation:
    """A function of a module."""

    instructions: dict[str, Instruction]
    root: Instruction
    """The result."""

    @cached_property
    def parameters(self) -> list[Instruction]:
        """The parameters, in order."""
        found = [each for each in self.instructions.values() if each.opcode == "parameter"]
        return sorted(found, key=lambda each: int(each.attributes.partition(")")[0]))

    def uses(self, name: str) -> list[tuple[Instruction, int]]:
        """Returns the instructions that use a value, and as which operand; not bitcasts of it."""
        found = []
        for each in self.instructions.values():
            for place, operand in enumerate(each.operands):
                if operand == name:
                    found += self.uses(each.name) if each.opcode == "bitcast" else [(each, place)]
        return found


@dataclass(frozen=True)
class Module:
    """An optimised HLO module."""

    computations: dict[str, Computation]
    entry: str

    @classmethod
    def of(cls, text: str) -> "Module":
        """Reads the text of a compiled program."""
        computations, entry, name = {}, "", ""
        instructions: dict[str, Instruction] = {}
        for line in text.splitlines():
            start = _COMPUTATION.match(line)
            if start:
                name, instructions = start[2], {}
                entry = name if start[1] else entry
            elif _INSTRUCTION.match(line):
                instruction = _read(line)
                instructions[instruction.name] = instruction
                if line.lstrip().startswith("ROOT "):
                    computations[name] = Computation(instructions, instruction)
        return cls(computations, entry)

    def branch_of(self, alternatives: int) -> Instruction | None:
        """Returns the one branch that has so many alternatives; None if there is not just one."""
        every = (each for one in self.computations.values() for each in one.instructions.values())
        found = [
            each
            for each in every
            if each.opcode == "conditional"
            and len(each.called("branch_computations")) == alternatives
        ]
        return found[0] if len(found) == 1 else None


def _read(line: str) -> Instruction:
    name, _, rest = line.strip().removeprefix("ROOT ").partition(" = ")
    end = _closing(rest) + 1 if rest.startswith("(") else rest.index(" ")
    shape, rest = rest[:end], rest[end:].lstrip()
    opcode, _, _ = rest.partition("(")
    end = _closing(rest[len(opcode) :]) + len(opcode)
    inside = rest[len(opcode) + 1 : end]
    operands = () if opcode in ("constant", "parameter") else tuple(_OPERAND.findall(inside))
    # Of a parameter, the attributes begin with its number.
    attributes = inside + rest[end:] if opcode == "parameter" else rest[end + 1 :]
    return Instruction(name.removeprefix("%"), shape, opcode, operands, attributes)


def _closing(text: str) -> int:
    """Returns where the parenthesis at the beginning of a text is closed."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth:
            return i
    raise ValueError(f"no end of {text[:40]!r}")
