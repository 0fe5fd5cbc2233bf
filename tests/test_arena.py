import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import equinox as eqx
import jax
import numpy as np
import pytest

from jaxsweep.commands import arena
from jaxsweep.rules.game import GameStatus
from jaxsweep.rules.level import LEVELS, Level, Opening, Start
from jaxsweep.rules.reasons import Rules
from jaxsweep.simulation import device_state, episode, runs, scheduler
from jaxsweep.simulation.matches import Loss, merge, play_games
from jaxsweep.simulation.runs import Run, RunError, RunSettings
from jaxsweep.single import replay
from jaxsweep.single.watch import watch
from jaxsweep.strategies import STRATEGIES
from jaxsweep.strategies.least_risk import LeastRisk
from jaxsweep.strategies.uncompiled import Uncompiled
from tests.oracle import layouts
from tests.waiting import PATIENCE

KNOWLEDGE = STRATEGIES["knowledge"]
BEGINNER = Opening.of(LEVELS["beginner"])
BATCH = 64
"""One size for most tests: each is a program to compile."""


def play(opening, games, strategy=KNOWLEDGE, batch=BATCH, devices=None, first=0):
    batches = list(play_games(strategy, opening, 9, games, batch, first, devices))
    record = merge(batches).ordered()
    np.testing.assert_array_equal(record.game_number, np.arange(first, first + games))
    return record


@pytest.fixture(scope="module")
def exact_games():
    return play(BEGINNER, 300, STRATEGIES["exact"])


@pytest.mark.parametrize("name", ["knowledge", "random"])
def test_records_are_the_same_in_any_batch_and_on_any_device(name):
    strategy, devices = STRATEGIES[name], jax.local_devices()
    assert len(devices) == 2
    whole = play(BEGINNER, 300, strategy)
    assert eqx.tree_equal(play(BEGINNER, 300, strategy, batch=4096), whole)
    assert eqx.tree_equal(play(BEGINNER, 300, strategy, devices=devices[:1]), whole)
    part = jax.tree.map(lambda leaf: leaf[100:250], whole)
    assert eqx.tree_equal(play(BEGINNER, 150, strategy, first=100), part)


def test_exact_records_are_the_same_in_any_batch_and_on_any_device(exact_games):
    one = jax.local_devices()[:1]
    assert eqx.tree_equal(play(BEGINNER, 300, STRATEGIES["exact"], 4096, one), exact_games)


def assert_same_games(record, expected):
    """All that happened is equal; only risks may differ, in their last digit."""
    for field in dataclasses.fields(record):
        own, theirs = (np.asarray(getattr(one, field.name)) for one in (record, expected))
        np.testing.assert_allclose(own, theirs, rtol=1e-5, atol=1e-6, err_msg=field.name)
        assert own.dtype == theirs.dtype
    assert runs.checksum([record]) == runs.checksum([expected])


def test_guesses_on_the_device_play_the_same_games():
    """As on accelerators, where most moves on the host are end games, in buckets of other sizes."""
    strategy = STRATEGIES["endgame"]
    assert not strategy.guesses_on("cpu")
    assert strategy.guesses_on("gpu")
    expected = play(BEGINNER, 300, strategy)
    games = play_games(strategy, BEGINNER, 9, 300, BATCH, guess_on_host=False, bucket=64)
    assert_same_games(merge(list(games)).ordered(), expected)


@pytest.mark.parametrize("bucket", [64, 4096])
def test_games_do_not_depend_on_how_many_are_advanced_together(exact_games, bucket):
    games = play_games(STRATEGIES["exact"], BEGINNER, 9, 300, 4096, bucket=bucket)
    assert_same_games(merge(list(games)).ordered(), exact_games)


def test_guesses_one_by_one_play_the_same_games(exact_games):
    """As a run of few games does, before anything is compiled for guesses."""
    strategy = STRATEGIES["exact"]
    assert isinstance(strategy, LeastRisk)
    assert_same_games(play(BEGINNER, 300, Uncompiled(strategy)), exact_games)


def test_a_run_that_is_left_stops_its_workers():
    before = threading.active_count()
    games = play_games(KNOWLEDGE, BEGINNER, 9, 2**31 - 1, BATCH)
    assert len(next(games)) > 0
    assert threading.active_count() > before
    games.close()
    assert threading.active_count() == before


def test_an_error_in_a_worker_reaches_the_caller():
    class Broken(LeastRisk):
        def guess(self, positions, keys):
            raise ArithmeticError("no guess today")

    with pytest.raises(ArithmeticError, match="no guess today"):
        play(BEGINNER, 100, Broken())


def test_few_games_are_those_of_players_that_the_scalar_path_has():
    few = {name: strategy.few_games for name, strategy in STRATEGIES.items()}
    assert few["endgame"] > few["strongest"] > 0
    assert few["sampling"] == few["random"] == 0


@pytest.mark.parametrize("name", ["knowledge", "exact", "random"])
def test_a_watched_game_is_the_same_game(name, exact_games):
    record = exact_games if name == "exact" else play(BEGINNER, 300, STRATEGIES[name])
    for number in (0, 7, 290):
        steps = list(watch(STRATEGIES[name], BEGINNER, 9, number))
        assert record.won[number] == (steps[-1].status is GameStatus.WON)
        assert record.clicks[number] == sum(len(step.cells) for step in steps)
        assert record.guesses[number] == sum(step.reason.is_guess for step in steps)
        assert record.rounds[number] == len(steps) - 1
        assert record.opened[number] == (steps[-1].grid >= 0).sum()
        risks = [step.risk for step in steps if step.reason.is_guess and step.risk is not None]
        survival = np.log1p(-np.array(risks)).sum()
        assert record.negative_log_survival[number] == pytest.approx(-survival, abs=1e-5)
        assert record.first_risk[number] == pytest.approx(risks[0] if risks else -1.0, abs=1e-6)


@pytest.mark.smoke
def test_records_are_consistent():
    level = LEVELS["beginner"]
    record = play(Opening.of(level, Start.ZERO), 300)
    safe = level.cells - level.mines
    assert (record.won == (record.opened == safe)).all()
    assert 0 < record.won.sum() < 300
    assert (record.guesses <= record.rounds).all()
    assert (record.clicks >= record.rounds + 1).all()
    assert record.won[record.guesses == 0].all(), "who never guesses never loses"
    assert ((record.loss == Loss.NONE) == record.won).all()


def test_linear_wins_only_boards_without_guesses():
    full = Opening.of(Level(9, 4, 0))
    assert play(full, 3, STRATEGIES["linear"]).won.all()
    dense = play(BEGINNER, 64, STRATEGIES["linear"])
    assert dense.won.sum() <= 2
    assert (dense.loss == Loss.NOT_BEST).sum() > 32, "in order is seldom where the risk is least"


def test_losses_are_compared_over_all_layouts_left():
    """Random guesses on a board small enough to list: was another cell less often a mine?"""
    opening, seed = Opening.of(Level(3, 4, 3)), 9
    record = play(opening, 60, STRATEGIES["random"])
    lost = np.nonzero(~record.won)[0]
    seen = set()
    for number in lost:
        steps = list(watch(STRATEGIES["random"], opening, seed, int(number)))
        grid = np.where(steps[-2].grid < 0, -1, steps[-2].grid)
        found = layouts(grid.tolist(), 3)
        mines = np.zeros(grid.shape)
        for layout in found:
            for cell in layout:
                mines[cell] += 1
        least = mines[grid < 0].min()
        expected = Loss.LEAST_RISK if mines[steps[-1].cells[0]] == least else Loss.NOT_BEST
        assert record.loss[number] == expected
        seen.add(expected)
    assert seen == {Loss.LEAST_RISK, Loss.NOT_BEST}


def test_a_board_full_of_mines_ends():
    record = play(Opening.of(Level(2, 2, 4), Start.ANY), 2)
    assert record.won.all()
    assert not record.opened.any()


def test_the_exact_player_knows_every_risk_and_is_never_wrong(exact_games):
    assert not exact_games.unknown_risks.any()
    assert not exact_games.wrong_certainties.any()
    assert exact_games.won.mean() > 0.85, "91.6 % are to be expected"
    assert (exact_games.loss[~exact_games.won] == Loss.LEAST_RISK).all()


def test_boards_of_one_container_share_one_kernel():
    """Neither another seed, nor another level of the same container, compiles again."""
    opening = episode.OpeningArrays.of(Opening.of(LEVELS["intermediate"]))
    other = episode.OpeningArrays.of(Opening.of(LEVELS["expert"], Start.ZERO))
    begin = jax.jit(eqx.debug.assert_max_traces(episode.deal, max_traces=1))
    first = begin(opening, np.uint32(1), np.uint32(0))
    second = begin(other, np.uint32(2), np.uint32(5))
    assert int(jax.lax.population_count(first.mines).sum()) == 40
    assert int(jax.lax.population_count(second.mines).sum()) == 99


def test_the_program_of_a_device_lowers_for_every_platform():
    config = device_state.ProgramConfig(Rules.PAIR, STRATEGIES["exact"], 64, 64, 64)
    opening = episode.OpeningArrays.of(BEGINNER)
    state = device_state.initial_state(config, opening, 0, 10, 1)
    kernel = jax.jit(lambda *arguments: scheduler.run(config, *arguments))
    arguments = (jax.numpy.uint32(1), opening, state, device_state.no_answers(config, opening))
    exported = jax.export.export(kernel, platforms=("cpu", "cuda", "tpu"))(*arguments)
    assert set(exported.platforms) == {"cpu", "cuda", "tpu"}


# Runs on disk.


def settings(games=250, strategy="knowledge", **changes):
    made = RunSettings.of(BEGINNER, strategy, 9, games)
    return dataclasses.replace(made, **{"shard": 100, **changes})


def finish(folder, wanted):
    run = Run(folder, wanted, {})
    played = sum(len(batch.record) for batch in runs.play(run, range(wanted.shards), BATCH))
    return run, played


def test_a_run_is_written_in_shards_and_goes_on(tmp_path):
    run, played = finish(tmp_path / "run", settings())
    assert played == 250
    assert [len(run.read(shard) or ()) for shard in range(3)] == [100, 100, 50]
    whole = run.records()
    assert eqx.tree_equal(whole, play(BEGINNER, 250))
    checksum = runs.checksum([whole])
    run.path(0).unlink()
    damaged = bytearray(run.path(2).read_bytes())
    damaged[len(damaged) // 2] ^= 0x40
    run.path(2).write_bytes(damaged)
    assert run.missing(range(3)) == [0, 2]
    with pytest.raises(RunError, match=r"2 of 3 shards .* shard-000000\.npz first"):
        run.records()
    again, played = finish(tmp_path / "run", settings())
    assert played == 150, "what is whole is not played again"
    assert runs.checksum([again.records()]) == checksum


@pytest.mark.smoke
def test_every_byte_of_a_shard_is_covered(tmp_path):
    """A flipped bit is found, or it changes nothing that is read."""
    run, _ = finish(tmp_path, settings(games=20))
    sound, truth = run.path(0).read_bytes(), run.read(0)
    random = np.random.default_rng(5)
    found = 0
    for place in random.integers(0, len(sound), 300):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << int(random.integers(8))
        run.path(0).write_bytes(damaged)
        read = run.read(0)
        found += read is None
        assert read is None or eqx.tree_equal(read, truth)
    assert found > 100
    for size in (0, 10, len(sound) // 2, len(sound) - 1):
        run.path(0).write_bytes(sound[:size])
        assert run.read(0) is None


@pytest.mark.parametrize(
    "change", [{"games": 260}, {"seed": 8}, {"strategy": "random"}, {"start": "zero"}]
)
def test_other_settings_are_refused_by_name(tmp_path, change):
    Run(tmp_path / "run", settings(), {})
    (name,) = change
    with pytest.raises(RunError, match=f"holds a run with {name} "):
        Run(tmp_path / "run", settings(**change), {})


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(RunError, match=r"holds other files and no manifest\.json"):
        Run(tmp_path, settings(), {})
    (tmp_path / "thesis.txt").unlink()
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(RunError, match="is damaged"):
        Run(tmp_path, settings(), {})


def command(*arguments, **options):
    environment = dict(os.environ) | {"JAX_NUM_CPU_DEVICES": "1"}
    words = [sys.executable, "-m", "jaxsweep.arena", *(str(a) for a in arguments)]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options
    )


def test_a_killed_run_goes_on_to_the_same_records(tmp_path):
    """Killed three times, each time at a random moment after it has got on by a shard."""
    words = ("beginner", "--strategy", "knowledge", "--games", 100_000, "--json")
    whole, stderr = command(*words).communicate(timeout=PATIENCE)
    assert whole, stderr
    random, out = np.random.default_rng(3), tmp_path / "run"
    kills = 0
    for _ in range(3):
        process = command(*words, "--out", out)
        before, limit = len(list(out.glob("shard-*.npz"))), time.monotonic() + PATIENCE
        while process.poll() is None and len(list(out.glob("shard-*.npz"))) == before:
            assert time.monotonic() < limit, "no shard is written"
            time.sleep(0.01)
        time.sleep(random.uniform(0.0, 0.2))
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
    last, stderr = command(*words, "--out", out).communicate(timeout=PATIENCE)
    assert last, stderr
    assert json.loads(last)["checksum"] == json.loads(whole)["checksum"]
    assert kills >= 1


def test_another_process_may_be_writing_the_manifest(tmp_path):
    """Two hosts begin at once: what the one has begun is no other file to the other."""
    (tmp_path / "manifest.json.123.tmp").write_text("{")
    Run(tmp_path, RunSettings.of(BEGINNER, "knowledge", 7, 250), {})
    assert json.loads((tmp_path / "manifest.json").read_text())["settings"]["games"] == 250


def test_two_processes_play_what_one_plays(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ("beginner", "--strategy", "knowledge", "--games", 20_500, "--json")
    alone, stderr = command(*words).communicate(timeout=PATIENCE)
    assert alone, stderr
    hosts = ("--coordinator", f"127.0.0.1:{port}", "--processes", 2, "--out", tmp_path / "run")
    both = [command(*words, *hosts, "--process-id", i) for i in (0, 1)]
    (first, stderr), (second, _) = (process.communicate(timeout=PATIENCE) for process in both)
    assert [process.returncode for process in both] == [0, 0], stderr
    assert json.loads(first.splitlines()[-1])["checksum"] == json.loads(alone)["checksum"]
    assert "checksum" not in second, "the first process reports"
    assert len(list((tmp_path / "run").glob("shard-*.npz"))) == 3


def test_the_command_reports_and_compares(tmp_path, capsys):
    words = ["beginner", "--games", "300", "--seed", "9", "--batch", "64"]
    assert arena.main([*words, "--strategy", "knowledge"]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    record = play(BEGINNER, 300)
    won = int(record.won.sum())
    assert last.startswith(f"{won}–{300 - won} (")
    for part in ("cleared", "ms a game", "longest batch"):
        assert part in last
    assert arena.main([*words, "--compare", "knowledge", "random", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    other = play(BEGINNER, 300, STRATEGIES["random"])
    assert facts["only_first_won"] == int((record.won & ~other.won).sum())
    low, high = facts["interval_95"]
    assert low < facts["difference"] < high
    assert facts["difference"] == pytest.approx(record.won.mean() - other.won.mean())


def test_the_command_writes_the_moves_of_chosen_games(tmp_path, capsys):
    words = ["beginner", "--games", "300", "--seed", "9", "--batch", "64"]
    out = tmp_path / "run"
    assert arena.main([*words, "--strategy", "knowledge", "--out", str(out), "--moves", "7"]) == 0
    capsys.readouterr()
    game = replay.load(out / "game-7.json")
    record = play(BEGINNER, 300)
    assert game.game == 7
    assert (game.outcome is GameStatus.WON) == record.won[7]
    assert sum(len(move.cells) for move in game.moves) == record.clicks[7]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--strategy", "nobody"], "invalid choice: 'nobody'"),
        (["--games", "0"], "'0' is not a whole number, 1 to"),
        (["--coordinator", "localhost:1"], "go together"),
        (["--coordinator", "x:1", "--processes", "2", "--process-id", "2"], "--process-id 2 of"),
        (["--moves", "3"], "--moves needs --out"),
        (["--out", "x", "--games", "5", "--moves", "5"], "there are games 0 to 4"),
        (["--distributed"], "need --out"),
    ],
)
def test_bad_arguments_get_one_clear_sentence(words, sentence, capsys):
    with pytest.raises(SystemExit) as left:
        arena.main(["beginner", *words])
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err
