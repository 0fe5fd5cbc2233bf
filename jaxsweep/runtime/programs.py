"""Compiled programs on disk, so that a start that finds its program neither traces nor compiles it.

JAX's own cache is looked up by the lowered program, and tracing and lowering a large one takes
longer than the rest of a start. Here a program is looked up by what it is made from: the sources of
this package, its own configuration and arguments, and the environment. If only the sources have
changed, and the lowered program is still the same, it is kept under its new key.

The files are pickles with machine code in them: only those in the folder of JAX's own cache are
read, which has the same in it, and none if that cache is not in use.
"""

import hashlib
import os
import platform
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
from jax.experimental.serialize_executable import deserialize_and_load, serialize
from jaxtyping import PyTree

import jaxsweep.runtime as this_package
from jaxsweep.runtime import machine
from jaxsweep.runtime.files import write_atomically
from jaxsweep.runtime.machine import Device

_DIGEST = hashlib.sha256().digest_size
_FOLDER = "jax_compilation_cache_dir"


class _Entry(NamedTuple):
    """The content of a file."""

    key: bytes
    """A digest of everything that the program is made from."""
    lowered: bytes
    """A digest of the lowered program and the environment."""
    program: bytes
    """The compiled program, serialised."""


def load_or_compile(
    function: jax.stages.Wrapped,
    arguments: tuple[PyTree, ...],
    result: PyTree,
    devices: Sequence[Device],
    configuration: str,
) -> jax.stages.Compiled:
    """Returns the program of a jitted function, from disk if it is there; else it is stored there.

    Args:
        function: a result of `jax.jit`.
        arguments: its arguments.
        result: any value with the structure of its result.
        devices: the devices that the program runs on.
        configuration: a description of everything else that the program depends on, other than
            this package's sources: the values of the variables that the function closes over.

    """
    folder = jax.config.values[_FOLDER]
    if not folder or not jax.config.values["jax_enable_compilation_cache"]:
        return function.lower(*arguments).compile()
    structures = jax.tree.structure((arguments, {})), jax.tree.structure(result)
    leaves = [(x.shape, x.dtype, getattr(x, "sharding", None)) for x in jax.tree.leaves(arguments)]
    ids = [(device.id, device.process_index) for device in devices]
    name = _digest(configuration, structures, leaves, ids)
    environment = _environment(devices[0])
    key = _digest(name, environment, _source_digest())
    # The name does not depend on the rest of the key: only the newest version is kept.
    path = Path(folder) / f"jaxsweep-{name.hex()}.program"
    entry = _read(path)
    if entry and entry.key == key and (program := _load(entry, structures, devices)):
        return program
    lowering = function.lower(*arguments)
    lowered = _digest(environment, lowering.as_text())
    if entry and entry.lowered == lowered and (program := _load(entry, structures, devices)):
        _write(path, entry._replace(key=key))
        return program
    program, serialized = _compile(lowering)
    if serialized:
        _write(path, _Entry(key, lowered, serialized))
    return program


def _load(entry: _Entry, structures: tuple[Any, Any], devices: Sequence[Device]) -> Any:
    """Loads a program; None if that fails, as it can be compiled again."""
    try:
        return deserialize_and_load(
            entry.program, *structures, devices[0].client, execution_devices=list(devices)
        )
    except Exception:
        return None


def _compile(lowering: jax.stages.Lowered) -> tuple[jax.stages.Compiled, bytes | None]:
    """Compiles a program and serialises it, or returns None for that where it is not possible.

    A program from JAX's own cache cannot be serialised: XLA on a CPU loses its machine code.
    """
    events: list[str] = []

    def listen(event: str, **_) -> None:
        events.append(event)

    jax.monitoring.register_event_listener(listen)
    try:
        program = lowering.compile()
    finally:
        jax.monitoring.unregister_event_listener(listen)
    if "/jax/compilation_cache/cache_hits" in events:
        return program, None
    try:
        return program, serialize(program)[0]
    except (ValueError, NotImplementedError, RuntimeError):  # Not on this platform.
        return program, None


def _read(path: Path) -> _Entry | None:
    """Reads a file; None if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, key, lowered = (content[i * _DIGEST : (i + 1) * _DIGEST] for i in range(3))
    if checksum != hashlib.sha256(content[_DIGEST:]).digest():
        return None
    try:
        return _Entry(key, lowered, zlib.decompress(content[3 * _DIGEST :]))
    except zlib.error:
        return None


def _write(path: Path, entry: _Entry) -> None:
    """Writes a file; if that is not possible, the next start compiles the program again."""
    content = entry.key + entry.lowered + zlib.compress(entry.program, level=1)
    content = hashlib.sha256(content).digest() + content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, lambda part: part.write_bytes(content))
    except OSError:
        return


def _digest(*parts: object) -> bytes:
    return hashlib.sha256(repr(parts).encode()).digest()


def _environment(device: Device) -> str:
    """Describes versions, processor and settings: all but the sources that can change a program."""
    client: Any = device.client
    return repr(
        (
            sorted(machine.facts().items()),
            _processor_features(),
            (client.platform, client.platform_version, device.device_kind),
            [os.environ.get(name) for name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS")],
            sorted((k, v) for k, v in jax.config.values.items() if k != _FOLDER),
        )
    )


@cache
def _source_digest() -> str:
    """Returns the SHA-256 of all source files of jaxsweep."""
    digest = hashlib.sha256()
    package = Path(this_package.__path__[0]).parent
    for file in sorted(package.rglob("*.py")):
        text = file.read_bytes()
        digest.update(f"{file.relative_to(package)} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def _processor_features() -> str:
    """Returns the instruction sets of the processor, which machine code depends on."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return platform.processor()
