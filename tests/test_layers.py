"""Imports go down the layers, never up and never in a circle, and JAX is imported late."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAYERS = (
    ("runtime",),
    ("rules",),
    ("beliefs",),
    ("scalar",),
    ("native",),
    ("metrics",),
    ("engines",),
    ("inference", "posterior", "diagnosis", "environment", "functional"),
    ("strategies",),
    ("simulation", "exact_answers", "datasets", "puzzles"),
    ("single", "benchmarks"),
    ("formats",),
    ("serving",),
    ("commands", "adapters"),
    (
        "play",
        "analyze",
        "arena",
        "bench",
        "boards",
        "dataset",
        "replay",
        "grade",
        "serve",
        "__main__",
    ),
    ("viewer",),
)
"""From the lowest to the highest: packages and modules of `jaxsweep`, and at the top `viewer`.

A module may import modules of its own layer and of those below. The package root `jaxsweep` only
names the public functions and classes: modules inside the package import these from where they are
defined.
"""

WITHOUT_JAX = (
    "jaxsweep",
    "jaxsweep.runtime.*",
    "jaxsweep.rules.board",
    "jaxsweep.rules.clicks",
    "jaxsweep.rules.grid",
    "jaxsweep.rules.guesses",
    "jaxsweep.rules.level",
    "jaxsweep.rules.notation",
    "jaxsweep.rules.reasons",
    "jaxsweep.rules.status",
    "jaxsweep.rules.threefry",
    "jaxsweep.beliefs",
    "jaxsweep.scalar.*",
    "jaxsweep.metrics.*",
    "jaxsweep.engines",
    "jaxsweep.diagnosis",
    "jaxsweep.simulation.settings",
    "jaxsweep.datasets.*",
    "jaxsweep.puzzles.*",
    "jaxsweep.single.*",
    "jaxsweep.adapters",
    "jaxsweep.adapters.registration",
    "jaxsweep.adapters.rendering",
    "jaxsweep.benchmarks.accelerator_model",
    "jaxsweep.benchmarks.catalogue",
    "jaxsweep.benchmarks.hlo_counts",
    "jaxsweep.benchmarks.hlo_module",
    "jaxsweep.benchmarks.rivals",
    "jaxsweep.serving.*",
    "jaxsweep.commands.*",
    "jaxsweep.formats.*",
    "jaxsweep.analyze",
    "jaxsweep.arena",
    "jaxsweep.bench",
    "jaxsweep.boards",
    "jaxsweep.dataset",
    "jaxsweep.play",
    "jaxsweep.replay",
    "jaxsweep.serve",
    "jaxsweep.grade",
    "jaxsweep.__main__",
    "viewer.*",
)
"""Modules that are imported without JAX, so that answers and command lines do not wait for it.

They may import it inside functions. `.*` stands for all modules of a package.
"""

WITH_JAX = {
    "jaxsweep.runtime.entrywise",
    "jaxsweep.runtime.materialize",
    "jaxsweep.runtime.programs",
    "jaxsweep.commands.arena_run",
    "jaxsweep.commands.dataset_run",
    "jaxsweep.datasets.games",
    "jaxsweep.datasets.generation",
    "viewer.benchmarks",
}
"""The exceptions in those packages."""

HEAVY = {"jax", "jaxlib", "equinox", "numba"}

HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def module_name(path):
    """The dotted name under which Python imports the file `path`, relative to the root."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_sources():
    """The source text of every module of `jaxsweep` and `viewer`, and which are packages."""
    paths = [path for top in ("jaxsweep", "viewer") for path in (ROOT / top).rglob("*.py")]
    sources = {module_name(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    packages = {module_name(path.relative_to(ROOT)) for path in paths if path.name == "__init__.py"}
    return sources, packages


def imported_names(nodes, name, sources, packages):
    """The modules, of any library, that the import statements among `nodes` name.

    `from package import x` is an import of `package.x` if there is such a module among `sources`,
    else of `package`.
    """
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = name.split(".")
                parts = parts[: len(parts) - node.level + (name in packages)]
                base = ".".join([*parts, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in sources else base)
    return found


def imports_of(name, sources, packages):
    """The modules among `sources` that the module `name` imports, anywhere in its text.

    That Python also runs the packages above an imported module is not counted: every module of a
    package would then import the package.
    """
    nodes = ast.walk(ast.parse(sources[name]))
    return imported_names(nodes, name, sources, packages) & set(sources)


def layer(name):
    """The name in `LAYERS` that a module belongs to; None for the package root."""
    top, *rest = name.split(".")
    if top != "jaxsweep":
        return top
    return rest[0] if rest else None


def find_cycle(graph):
    """The modules of one cycle, the first one again at the end; None if there is no cycle."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        path.append(name)
        for other in sorted(graph[name]):
            if cycle := visit(other):
                return cycle
        path.pop()
        done.add(name)
        return None

    return next((cycle for name in sorted(graph) if (cycle := visit(name))), None)


def violations(sources, packages):
    """A sentence for everything that is wrong with the imports of these modules."""
    graph = {name: imports_of(name, sources, packages) for name in sources}
    sentences = []
    for name in sorted(graph):
        own = layer(name)
        if own is not None and own not in HEIGHT:
            sentences.append(f"{name} is in no layer: say in LAYERS which one it belongs to.")
            continue
        for other in sorted(graph[name]):
            theirs = layer(other)
            if theirs is None:
                if own not in ("viewer", None):
                    sentences.append(
                        f"{name} imports the package root {other}: import from the module that "
                        "defines what is needed."
                    )
            elif own is not None and theirs in HEIGHT and HEIGHT[theirs] > HEIGHT[own]:
                sentences.append(f"{name} imports {other}, but {theirs} is a layer above {own}.")
    if cycle := find_cycle(graph):
        sentences.append(f"Imports go in a circle: {' → '.join(cycle)}.")
    return sentences


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported: none in functions or for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from executed(other)
            continue
        yield child
        yield from executed(child)


def with_packages(name):
    """A module and the packages it is in, which Python imports before it."""
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def loaded_by(name, sources, packages):
    """The modules, of any library, that are imported when the module `name` is."""
    nodes = executed(ast.parse(sources[name]))
    named = imported_names(nodes, name, sources, packages) | {name}
    return {module for one in named for module in with_packages(one)} - {name}


def chain_to_jax(name, graph):
    """The shortest chain of imports from a module to JAX; None if importing it loads none."""
    chains = [[name]]
    seen = {name}
    for chain in chains:
        for other in sorted(graph.get(chain[-1], ())):
            if other in HEAVY:
                return [*chain, other]
            if other not in seen:
                seen.add(other)
                chains.append([*chain, other])
    return None


def modules_without_jax(sources):
    """The modules that `WITHOUT_JAX` stands for."""
    packages = {name.removesuffix(".*") for name in WITHOUT_JAX if name.endswith(".*")}
    named = {name for name in sources if name in WITHOUT_JAX or with_packages(name) & packages}
    return named - WITH_JAX


def loads_of_jax(sources, packages, modules):
    """A sentence for each of these modules that imports JAX when it is imported."""
    graph = {name: loaded_by(name, sources, packages) for name in sources}
    chains = [chain_to_jax(name, graph) for name in sorted(modules)]
    return [
        f"{chain[0]} must not need JAX, but importing it does: {' → '.join(chain)}."
        for chain in chains
        if chain
    ]


@pytest.mark.smoke
def test_imports_go_down_only():
    found = violations(*read_sources())
    assert not found, "\n" + "\n".join(found)


@pytest.mark.smoke
def test_jax_is_imported_late():
    sources, packages = read_sources()
    found = loads_of_jax(sources, packages, modules_without_jax(sources))
    assert not found, "\n" + "\n".join(found)


def test_modules_without_jax_exist():
    sources, packages = read_sources()
    names = {name.removesuffix(".*") for name in WITHOUT_JAX}
    assert names | WITH_JAX <= set(sources)
    exceptions = loads_of_jax(sources, packages, WITH_JAX)
    assert len(exceptions) == len(WITH_JAX), "one of WITH_JAX needs none"


def test_every_layer_exists():
    sources, _ = read_sources()
    assert {layer(name) for name in sources} - {None} == set(HEIGHT)


@pytest.mark.parametrize(
    ("sources", "sentence"),
    [
        (
            {
                "jaxsweep.rules": "",
                "jaxsweep.rules.game": "from jaxsweep.engines import exact",
                "jaxsweep.engines": "",
                "jaxsweep.engines.exact": "",
            },
            "jaxsweep.rules.game imports jaxsweep.engines.exact, but engines is a layer above",
        ),
        (
            {
                "jaxsweep.single.human": "def ask():\n    import jaxsweep.commands.analyze\n",
                "jaxsweep.commands.analyze": "",
            },
            "jaxsweep.single.human imports jaxsweep.commands.analyze, but commands is",
        ),
        (
            {"jaxsweep.bench": "if True:\n    from viewer import draw", "viewer.draw": ""},
            "jaxsweep.bench imports viewer.draw, but viewer is a layer above bench",
        ),
        (
            {"jaxsweep": "", "jaxsweep.rules": "", "jaxsweep.rules.game": "from .. import infer"},
            "jaxsweep.rules.game imports the package root",
        ),
        (
            {"jaxsweep": "", "jaxsweep.runtime.machine": "import jaxsweep"},
            "jaxsweep.runtime.machine imports the package root",
        ),
        ({"jaxsweep": "", "viewer.draw": "from jaxsweep import infer"}, None),
        (
            {
                "jaxsweep.rules": "from .a import x",
                "jaxsweep.rules.a": "def f():\n    from . import b",
                "jaxsweep.rules.b": "from jaxsweep.rules import x",
            },
            "in a circle: jaxsweep.rules → jaxsweep.rules.a → jaxsweep.rules.b → jaxsweep.rules.",
        ),
        (
            {"jaxsweep.rules": "from .a import x", "jaxsweep.rules.a": "from .b import x"}
            | {"jaxsweep.rules.b": "from jaxsweep.runtime import x", "jaxsweep.runtime": ""},
            None,
        ),
        ({"jaxsweep.utils": ""}, "jaxsweep.utils is in no layer"),
    ],
)
def test_wrong_imports_are_found(sources, sentence):
    packages = {name for name in sources if any(o.startswith(f"{name}.") for o in sources)}
    found = violations(sources, packages)
    if sentence is None:
        assert not found
    else:
        assert any(sentence in each for each in found), found


@pytest.mark.parametrize(
    ("sources", "sentence"),
    [
        ({"a": "import jax.numpy as jnp"}, "a → jax."),
        ({"a": "from b import x", "b": "if True:\n    from equinox import nn"}, "a → b → equinox."),
        (
            {"a": "try:\n    import b\nexcept ImportError:\n    b = 0", "b": "import jax"},
            "a → b → jax.",
        ),
        ({"a": "class A:\n    import jax"}, "a → jax."),
        (
            {
                "a": "from p.inner import x",
                "p": "from . import b",
                "p.inner": "",
                "p.b": "import jax",
            },
            "a → p → p.b → jax.",
        ),
        ({"a": "def f():\n    import jax"}, None),
        ({"a": "class A:\n    def f(self):\n        import jax"}, None),
        ({"a": "if TYPE_CHECKING:\n    import jax"}, None),
        ({"a": "if typing.TYPE_CHECKING:\n    import jax\nelse:\n    import b", "b": ""}, None),
        ({"a": "import b\nfrom jaxtyping import Int", "b": "import a"}, None),
    ],
)
def test_early_imports_of_jax_are_found(sources, sentence):
    found = loads_of_jax(sources, {"p"}, ["a"])
    expected = (
        [] if sentence is None else [f"a must not need JAX, but importing it does: {sentence}"]
    )
    assert found == expected
