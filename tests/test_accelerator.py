"""What games ask of an accelerator: the model, counted programs, and `bench --accelerator`."""

import json
from dataclasses import replace
from itertools import islice

import jax
import jax.numpy as jnp
import pytest

from jaxsweep.benchmarks import accelerator
from jaxsweep.benchmarks.accelerator_model import (
    ACCELERATORS,
    Accelerator,
    Work,
    known_accelerator,
    model,
)
from jaxsweep.benchmarks.catalogue import OPENINGS
from jaxsweep.benchmarks.counted_program import CountedProgram
from jaxsweep.benchmarks.hlo_counts import count_work
from jaxsweep.benchmarks.hlo_module import Module
from jaxsweep.commands import arguments, bench
from jaxsweep.simulation.episode import Stage
from tests.documentation import ROOT

ROUND = Accelerator("round figures", 1e12, 1e13, 1e10, 5e-6, 2e-5)
RESULTS = ROOT / "experiments" / "results" / "accelerator-model.json"

# The model.


@pytest.mark.parametrize(
    ("work", "seconds", "bound"),
    [
        # 2 GB at 1 TB/s are 2 ms; 10 G operations at 10 T/s are 1 ms, meanwhile; 3 launches.
        (Work(1e10, 2e9, 3, 0), 2.015e-3, "memory"),
        (Work(1e11, 2e9, 0, 0), 10e-3, "arithmetic"),
        # 1 MB takes 1 µs, 100 launches 500 µs, 2 decisions 40 µs.
        (Work(1e6, 1e6, 100, 2), 541e-6, "launches"),
        (Work(0, 1e6, 1, 50), 1006e-6, "decisions"),
    ],
)
def test_modelled_time_and_bound(work, seconds, bound):
    found = model(work, ROUND)
    assert found.seconds == pytest.approx(seconds, rel=1e-12)
    assert found.bound == bound


def test_published_figures():
    a100, rtx = ACCELERATORS["NVIDIA A100 40GB"], ACCELERATORS["NVIDIA RTX 4090"]
    assert (a100.bandwidth, a100.rate, a100.memory) == (1555e9, 19.5e12, 40e9)
    assert (rtx.bandwidth, rtx.rate, rtx.memory) == (1008e9, 82.6e12, 24e9)
    # 1,555 GB at 1,555 GB/s.
    assert model(Work(bytes=1555e9), a100).seconds == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("NVIDIA A100-SXM4-40GB", "NVIDIA A100 40GB"),
        ("NVIDIA GeForce RTX 4090", "NVIDIA RTX 4090"),
        ("NVIDIA A100-SXM4-80GB", None),
        ("cpu", None),
    ],
)
def test_devices_are_found_by_the_name_that_jax_gives_them(kind, name):
    assert known_accelerator(kind) == (ACCELERATORS[name] if name else None)


def test_work_adds_up():
    assert Work(1, 2, 3, 4) * 2 + Work(1, 1, 1, 1) == Work(3, 5, 7, 9)


# Counting in the text of a module.

MODULE = """HloModule by_hand

%fused (p.0: f32[8,16], p.1: s32[]) -> f32[1,16] {
  %p.0 = f32[8,16]{1,0} parameter(0)
  %p.1 = s32[] parameter(1)
  %zero = s32[] constant(0)
  %row = f32[1,16]{1,0} dynamic-slice(%p.0, %p.1, %zero), dynamic_slice_sizes={1,16}
  ROOT %twice = f32[1,16]{1,0} add(%row, %row)
}

%body (b: (s32[], f32[8,16])) -> (s32[], f32[8,16]) {
  %b = (s32[], /*index=1*/f32[8,16]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%b), index=0
  %x = f32[8,16]{1,0} get-tuple-element(%b), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %y = f32[8,16]{1,0} negate(%x)
  ROOT %pair = (s32[], f32[8,16]{1,0}) tuple(%next, %y)
}

%condition (c: (s32[], f32[8,16])) -> pred[] {
  %c = (s32[], f32[8,16]{1,0}) parameter(0)
  %j = s32[] get-tuple-element(%c), index=0
  %ten = s32[] constant(10)
  ROOT %less = pred[] compare(%j, %ten), direction=LT
}

ENTRY %main (a: f32[8,16]) -> f32[1,16] {
  %a = f32[8,16]{1,0} parameter(0)
  %start = s32[] constant(0)
  %state = (s32[], f32[8,16]{1,0}) tuple(%start, %a)
  %loop = (s32[], f32[8,16]{1,0}) while(%state), condition=%condition, body=%body, metadata={NAME}
  %last = s32[] get-tuple-element(%loop), index=0
  %end = f32[8,16]{1,0} get-tuple-element(%loop), index=1
  ROOT %result = f32[1,16]{1,0} fusion(%end, %last), kind=kLoop, calls=%fused
}
"""
BODY = Work(1 + 128, (4 + 4 + 4) + 2 * 512, 2)
"""One addition of numbers of 4 bytes, and 128 negations of as many."""
TEST = Work(1, 4 + 4 + 1, 1)
FUSION = Work(16, 64 + 4 + 64, 1)
"""A row of 16 numbers is read, and one is written; of the index, 4 bytes."""


def test_work_of_a_module_counted_by_hand():
    text = MODULE.replace("NAME", 'op_name="jit(f)/site_3/while"')
    module = Module.of(text)
    # Entered twice, 14 iterations in all: 7 each, and 8 tests, each of which the host waits for.
    expected = BODY * 7 + TEST * 8 + FUSION + Work(decisions=8)
    assert count_work(module, [0, 0, 0, 2, 14]).work == expected
    # As XLA counts.
    assert count_work(module).work == BODY + TEST + FUSION + Work(decisions=1)


def test_loops_without_counters():
    known = MODULE.replace(
        "metadata={NAME}", 'backend_config={"known_trip_count":{"n":"10"},"x":[]}'
    )
    found = count_work(Module.of(known), [])
    assert (found.work, found.unknown_loops) == (BODY * 10 + TEST * 11 + FUSION, 0)
    found = count_work(Module.of(MODULE.replace("NAME", "")), [])
    assert found.unknown_loops == 1


# Counting by the program itself.


def collatz(start):
    """Steps until 1 of each number: loops within a loop, a scan and a branch."""

    def steps(number):
        def step(state):
            x, n = state
            return jax.lax.cond(x % 2 == 0, lambda x: x // 2, lambda x: 3 * x + 1, x), n + 1

        return jax.lax.while_loop(lambda state: state[0] > 1, step, (number, jnp.int32(0)))[1]

    def add(total, number):
        found = steps(number)
        return total + found, found

    return jax.lax.scan(add, jnp.int32(0), start)


def test_a_counted_program_computes_the_same_and_counts_its_loops_and_branches():
    numbers = jnp.array([1, 6, 7], jnp.int32)
    program = CountedProgram(collatz, (numbers,))
    result, counts = program(numbers)
    assert [x.tolist() for x in result] == [24, [0, 8, 16]]
    # The scan once with 3 steps, the loop 3 times with 24; 7 times 3x + 1 (6: 2, 7: 5), 17 halves.
    assert counts.tolist() == [1, 3, 3, 24, 7, 17]
    assert program.count(counts).unknown_loops == 0


def test_loops_under_vmap_stop_one_by_one():
    def power(exponent):
        def step(state):
            return state[0] - 1, state[1] * 3

        return jax.lax.while_loop(lambda state: state[0] > 0, step, (exponent, jnp.int32(1)))[1]

    exponents = jnp.array([0, 3, 5], jnp.int32)
    result, counts = CountedProgram(jax.vmap(power), (exponents,))(exponents)
    assert result.tolist() == [1, 27, 243]
    assert counts.tolist() == [1, 5]


# The kernels, and the command.

BATCH = 64


@pytest.fixture(scope="module")
def kernels():
    """The first kernels; inference takes far longer to compile."""
    return list(islice(accelerator.measure_kernels(OPENINGS["expert"], BATCH, 1), 3))


def test_kernels_are_counted_as_xla_counts_them(kernels):
    assert [kernel.name for kernel in kernels] == ["deal", "single-cell round", "pair round"]
    for kernel in kernels:
        assert kernel.unknown_loops == 0
        assert kernel.once.operations == pytest.approx(kernel.xla_operations, rel=0.02)
        assert kernel.once.bytes == pytest.approx(kernel.xla_bytes, rel=0.1)
        assert kernel.work.launches > 0
        assert kernel.argument_bytes > 0
    # Cells are visited one by one when mines are laid.
    deal = kernels[0]
    assert deal.work.launches > OPENINGS["expert"].level.cells > deal.once.launches


def test_the_command(kernels, capsys, monkeypatch, tmp_path):
    # Another player: the exact one takes a minute to compile.
    def shortened(*_):
        names = ("inference", "choice", "environment step")
        return [*kernels, *(replace(kernels[-1], name=name) for name in names)]

    monkeypatch.setattr(accelerator, "measure_kernels", shortened)
    monkeypatch.setattr(accelerator, "PLAYER", "random")
    monkeypatch.setattr(accelerator, "SECONDS", 0.0)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    argv = ["--accelerator", "--batch", str(BATCH), "--repeats", "1"]
    with pytest.raises(SystemExit) as left:
        arguments.run(bench.main, argv)
    out, _ = capsys.readouterr()
    assert left.value.code == 0
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "written: jaxsweep-accelerator.json" in out
    assert "this device: cpu, not in the model's table" in out
    result = json.loads((tmp_path / "jaxsweep-accelerator.json").read_text("utf-8"))
    assert result["command"].endswith(" ".join(argv))
    assert (result["bucket"], result["board"], result["machine"]["devices"]) == (64, "16×30/99", 2)
    games = result["games"]
    assert games["turns"].keys() == {stage.name.lower() for stage in Stage}
    assert 0 < games["guess_fill"] <= 1
    # Each game is dealt and guesses; a turn does that for at most a bucket of them.
    assert games["turns"]["over"] >= 1 / BATCH
    assert games["turns"]["guess"] * BATCH >= games["moves"] * 0.5
    assert games["single_rounds"] >= games["turns"]["single"]
    assert games["games_per_second"] > 0
    check_model(result)


def check_model(result):
    """The modelled figures follow from the counted ones."""
    works = [*result["kernels"], result["guess"], result["games"]]
    for found in works:
        for device in result["accelerators"]:
            expected = model(Work(**found["work"]), Accelerator(**device))
            stored = found["modelled"][device["name"]]
            assert stored["microseconds"] == pytest.approx(expected.seconds * 1e6)
            assert stored["bound"] == expected.bound


def test_the_committed_result_is_of_the_whole_command():
    result = json.loads(RESULTS.read_text("utf-8"))
    names = [kernel["name"] for kernel in result["kernels"]]
    assert names[-3:] == ["inference", "choice", "environment step"]
    assert (result["bucket"], result["games"]["player"]) == (4096, "exact")
    assert not any(found["unknown_loops"] for found in [*result["kernels"], result["games"]])
    check_model(result)


@pytest.mark.parametrize("more", [["deal"], ["--level", "beginner"], ["--peers"]])
def test_the_command_takes_no_other_benchmarks(more, capsys):
    with pytest.raises(SystemExit) as left:
        arguments.run(bench.main, ["--accelerator", *more])
    out, err = capsys.readouterr()
    assert (left.value.code, out) == (2, "")
    assert "--accelerator goes without names, --level and --peers" in err
