"""Compiled programs on disk: found, not found, and damaged."""

from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.compilation_cache.compilation_cache import reset_cache

from jaxsweep.runtime import programs


@pytest.fixture
def folder(tmp_path):
    """A new, empty folder for JAX's cache and for programs."""
    before = jax.config.values["jax_compilation_cache_dir"]
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    reset_cache()
    yield tmp_path
    jax.config.update("jax_compilation_cache_dir", before)
    reset_cache()


class Start:
    """What happens in one start of a process: a program is wanted, and is called once."""

    def __init__(self, factor: float = 3.0, described: str | None = None, size: int = 5):
        self.traced = 0

        def function(x, y):
            self.traced += 1
            return {"sum": jax.lax.fori_loop(0, 4, lambda _, z: z * factor + y, x), "y": y}

        x, y = jnp.arange(size, dtype=jnp.float32), jnp.float32(2.0)
        result = {"sum": x, "y": y}
        configuration = described or f"factor {factor}"
        program = programs.load_or_compile(
            jax.jit(function), (x, y), result, jax.devices()[:1], configuration
        )
        expected = np.arange(size, dtype=np.float32)
        for _ in range(4):
            expected = expected * np.float32(factor) + np.float32(2.0)
        found = program(x, y)
        assert set(found) == {"sum", "y"}
        assert np.array_equal(found["sum"], expected)


def only_file(folder: Path) -> Path:
    (file,) = folder.glob("*.program")
    return file


def test_second_start_does_not_trace(folder):
    assert Start().traced == 1
    assert Start().traced == 0
    assert only_file(folder).exists()


def test_other_configurations_and_shapes_are_other_programs(folder):
    assert Start().traced == 1
    assert Start(factor=5.0).traced == 1
    assert Start(size=7).traced == 1
    assert Start().traced == Start(factor=5.0).traced == Start(size=7).traced == 0
    assert len(list(folder.glob("*.program"))) == 3


@pytest.mark.parametrize("name", ["XLA_FLAGS", "LIBTPU_INIT_ARGS"])
def test_other_flags_are_another_program(folder, monkeypatch, name):
    assert Start().traced == 1
    monkeypatch.setenv(name, "--xla_none")
    assert Start().traced == 1
    assert Start().traced == 0


def test_changed_setting_of_jax_is_another_program(folder):
    assert Start().traced == 1
    with jax.default_matmul_precision("float32"):
        assert Start().traced == 1


def test_changed_sources_with_the_same_program_compile_nothing(folder, monkeypatch):
    assert Start().traced == 1
    monkeypatch.setattr(programs, "_source_digest", lambda: "other sources")
    monkeypatch.setattr(programs, "_compile", None)
    assert Start().traced == 1, "the lowered program is compared"
    assert Start().traced == 0


def test_changed_sources_with_another_program_are_compiled(folder, monkeypatch):
    assert Start(2.0, described="any").traced == 1
    monkeypatch.setattr(programs, "_source_digest", lambda: "other sources")
    assert Start(7.0, described="any").traced == 1
    assert Start(7.0, described="any").traced == 0
    assert only_file(folder).exists(), "the older version is gone"


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    at = len(content) - 100
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize("damage", [cut, flip, lambda _: b"", lambda _: b"no program" * 50])
def test_damaged_file_is_ignored_and_rewritten(folder, damage: Callable[[bytes], bytes]):
    Start()
    file = only_file(folder)
    file.write_bytes(damage(file.read_bytes()))
    for entry in folder.glob("*-cache"):
        entry.unlink()
    assert Start().traced == 1
    assert Start().traced == 0


def test_program_that_cannot_be_loaded_is_compiled(folder):
    Start()
    file = only_file(folder)
    entry = programs._read(file)
    assert entry is not None
    programs._write(file, entry._replace(program=b"no pickle"))
    assert Start().traced == 1


def test_program_from_the_cache_of_jax_is_not_stored(folder):
    Start()
    only_file(folder).unlink()
    assert Start().traced == 1
    assert not list(folder.glob("*.program"))


def test_folder_that_cannot_be_written_to(folder, monkeypatch):
    def fail(*_):
        raise PermissionError

    monkeypatch.setattr(programs, "write_atomically", fail)
    assert Start().traced == Start().traced == 1


def test_nothing_is_stored_without_a_cache(folder):
    jax.config.update("jax_compilation_cache_dir", None)
    reset_cache()
    assert Start().traced == Start().traced == 1
    assert not list(folder.iterdir())
