"""Data sets on disk: the same command makes the same bytes, and nothing else is read."""

import contextlib
import errno
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxsweep import LabelledPositions, load_dataset
from jaxsweep.commands import dataset_run
from jaxsweep.commands.arguments import run as run_command
from jaxsweep.commands.dataset import main
from jaxsweep.datasets import games as dataset_games
from jaxsweep.datasets.generation import generate, make_dataset
from jaxsweep.datasets.metadata import (
    METADATA,
    check_metadata,
    checksum,
    read_metadata,
    read_shard,
)
from jaxsweep.datasets.positions import AXES, Outcome, WinSource
from jaxsweep.datasets.settings import SPLITS, DatasetError, DatasetSettings
from jaxsweep.datasets.store import Store
from jaxsweep.native import moments
from jaxsweep.rules.level import LEVELS, Level, Opening
from jaxsweep.runtime import files, machine
from tests.test_dataset import TINY, load_all
from tests.waiting import PATIENCE

BEGINNER = DatasetSettings(Opening.of(LEVELS["beginner"]), "endgame", 0, 4000, shard=500)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "tiny"
    make_dataset(folder, TINY)
    return folder


# How it is made.


def test_the_same_command_makes_the_same_bytes_on_any_number_of_cores(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "cores", lambda: 3)
    make_dataset(tmp_path / "again", TINY)
    files_of = [
        {f.name: f.read_bytes() for f in path.iterdir()} for path in (tiny, tmp_path / "again")
    ]
    assert files_of[0] == files_of[1]
    assert len(files_of[0]) == 1 + 3 * len(SPLITS)
    metadata = json.loads(files_of[0]["metadata.json"])
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files_of[0].items()]
    lines = "".join(sorted((line for line in sums if "npz" in line), key=lambda line: line[64:]))
    assert metadata["checksum"] == hashlib.sha256(lines.encode()).hexdigest()
    for data in (data for name, data in files_of[0].items() if name.endswith(".npz")):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        with np.load(io.BytesIO(data)) as arrays:
            assert set(arrays) == set(AXES) == {item.name for item in fields(LabelledPositions)}


def test_another_seed_makes_other_positions(tiny, tmp_path):
    other = make_dataset(tmp_path / "other", replace(TINY, seed=4))
    assert other["checksum"] != read_metadata(tiny)["checksum"]


def command(*words):
    """Runs the command in a process of its own, until it ends or is killed."""
    words = [sys.executable, "-m", "jaxsweep.dataset", *map(str, words)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_killed_command_goes_on_to_the_same_bytes(tmp_path):
    """Killed in the middle of the second block: one of its files is there, and no entry of it."""
    out, whole = tmp_path / "killed", tmp_path / "whole"
    words = ("beginner", "--player", "endgame", "--positions", BEGINNER.positions)
    words = (*words, "--shard", BEGINNER.shard, "--out", out, "--json")
    process, limit = command(*words), time.monotonic() + PATIENCE
    while process.poll() is None and len(list(out.glob("*.npz"))) <= len(SPLITS):
        assert time.monotonic() < limit, "no shard is written"
        time.sleep(0.005)
    assert process.poll() is None, "it was not finished yet"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    last, stderr = command(*words).communicate(timeout=PATIENCE)
    assert last, stderr
    expected, found = make_dataset(whole, BEGINNER), json.loads(last)
    assert 0 < found["found"] < found["totals"]["positions"] == BEGINNER.positions
    assert found["checksum"] == expected["checksum"]
    for file in whole.iterdir():
        assert (out / file.name).read_bytes() == file.read_bytes()


def test_a_damaged_shard_is_made_again(tiny, tmp_path):
    folder = tmp_path / "damaged"
    expected = make_dataset(folder, TINY)
    shard = folder / "test-000001.npz"
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    with pytest.raises(
        DatasetError, match=r"test-000001\.npz is damaged: its checksum is not that"
    ):
        load_dataset(folder, "test")
    load_dataset(folder, "train")
    store = Store(folder, TINY)
    assert next(made := generate(store, TINY)) < TINY.positions
    assert list(made)[-1] == TINY.positions
    assert store.metadata == expected
    for file in folder.iterdir():
        assert file.read_bytes() == (tiny / file.name).read_bytes()


def test_too_few_positions_are_said_to_be(tmp_path):
    few = DatasetSettings(Opening.of(Level(2, 2, 1)), "endgame", 0, 100)
    words = r"2×2/1 with a safe start at \(0, 0\): in 2,000 games no new position .* the 2 before"
    with pytest.raises(DatasetError, match=words):
        make_dataset(tmp_path / "few", few)
    assert not read_metadata(tmp_path / "few")["finished"]


def test_positions_beyond_the_capacity_are_left_out_and_counted(tmp_path, monkeypatch):
    """With next to no memory for the search, games stop where the player would need it."""

    def with_little_memory(rows, cols, player):
        space = moments.make_moment_rooms(rows, cols, player)
        search = space.rooms.work.space
        work = space.rooms.work._replace(space=search._replace(words=search.words[:11]))
        return space._replace(rooms=space.rooms._replace(work=work))

    monkeypatch.setattr(dataset_games, "make_moment_rooms", with_little_memory)
    metadata = make_dataset(tmp_path / "data", replace(TINY, positions=60))
    data = load_all(tmp_path / "data")
    assert metadata["totals"]["left_out"] > 0
    stopped = data.outcome == Outcome.NOT_FINISHED
    assert stopped.any()
    assert not stopped.all()
    assert (data.win_source == WinSource.UNKNOWN).any()


# The command.


def run(capsys, *argv):
    with pytest.raises(SystemExit) as left:
        run_command(main, [str(word) for word in argv])
    out, err = capsys.readouterr()
    return left.value.code, out, err


SMALL = ("custom", 4, 4, 4, "--positions", 40, "--seed", 5)


def test_the_command_reports_and_says_when_it_is_finished(tmp_path, capsys):
    code, out, err = run(capsys, *SMALL, "--out", tmp_path / "data")
    assert (code, err) == (0, "")
    assert out.startswith("40 positions of 4×4/4, safe start at (0, 0), seed 5, player strongest: ")
    assert "40 positions made" in out.splitlines()[-1]
    code, out, _ = run(capsys, *SMALL, "--out", tmp_path / "data")
    assert code == 0
    assert out.splitlines()[-1].startswith("finished before; all checksums agree")
    code, out, _ = run(capsys, *SMALL, "--out", tmp_path / "data", "--json")
    figures = json.loads(out)
    assert figures["found"] == figures["totals"]["positions"] == 40
    assert figures["checksum"] == checksum(read_metadata(tmp_path / "data")["blocks"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("custom", 4, 4, 4, "--positions", 41, "--seed", 5),
            "with positions 40, not 41; choose an",
        ),
        (
            ("custom", 4, 4, 3, "--positions", 40, "--seed", 5),
            "with mines 4, not 3; choose another",
        ),
        ((*SMALL, "--player", "endgame"), "with player strongest, not endgame; choose another"),
        ((*SMALL, "--text"), "with text False, not True; choose another --out"),
        ((*SMALL, "--player", "sampling"), "invalid choice: 'sampling'"),
        (("custom", 101, 100, 9), "a board of 10,100 cells is too large"),
        (("nowhere",), "no level 'nowhere'"),
        (("--positions", 0), "'0' is not a whole number, 1 to"),
    ],
)
def test_bad_arguments_get_a_sentence_and_status_2(words, sentence, tmp_path, capsys):
    assert run(capsys, *SMALL, "--out", tmp_path / "data")[0] == 0
    code, out, err = run(capsys, *words, "--out", tmp_path / "data")
    assert code == 2
    assert not out
    assert sentence in err.splitlines()[-1]


def test_folders_that_cannot_be_used_get_a_sentence(tmp_path, capsys, monkeypatch):
    (tmp_path / "thesis.txt").write_text("mine")
    code, _, err = run(capsys, *SMALL, "--out", tmp_path)
    assert (code, err.count("\n")) == (2, 1)
    assert "holds other files and no metadata.json" in err
    code, _, err = run(capsys, *SMALL, "--out", tmp_path / "thesis.txt")
    assert (code, err.count("\n")) == (2, 1)
    assert "Not a directory" in err

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    code, _, err = run(capsys, *SMALL, "--out", tmp_path / "full")
    assert (code, err) == (2, "jaxsweep: No space left on device\n")
    assert list((tmp_path / "full").iterdir()) == []


def test_an_unfinished_set_of_other_versions_is_refused(tmp_path):
    Store(tmp_path / "data", TINY)
    file = tmp_path / "data" / "metadata.json"
    file.write_text(file.read_text().replace('"numba": "', '"numba": "0.'))
    with pytest.raises(DatasetError, match=r"was begun with numba 0\..*; choose another --out"):
        Store(tmp_path / "data", TINY)


def test_a_stopped_command_says_how_far_it_got(tmp_path, capsys, monkeypatch):
    def stopped(store, settings):
        yield 0
        raise KeyboardInterrupt

    monkeypatch.setattr(dataset_run, "generate", stopped)
    code, out, err = run(capsys, *SMALL, "--out", tmp_path / "data")
    assert code == 130
    assert f"0 of 40 positions are in {tmp_path / 'data'}; the same command goes on." in out
    assert "stopped" in err
    monkeypatch.undo()
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Loading.


def forge(folder, change):
    """Changes the metadata of a data set, and makes its checksum agree."""
    file = folder / "metadata.json"
    found = json.loads(file.read_text())
    change(found)
    with contextlib.suppress(KeyError):  # Of a shard that is not there any more.
        found["checksum"] = checksum(found["blocks"])
    file.write_text(json.dumps(found))


def _claim_more(found):
    found["blocks"][0]["shards"]["train"]["positions"] += 10**12


def _claim_wider(found):
    found["settings"]["cols"] = 4000


def _name_another_file(found):
    found["blocks"][0]["texts"] = {"../../secret": "0"}


def _lose_a_split(found):
    del found["blocks"][0]["shards"]["test"]


def _be_newer(found):
    found["version"] = 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_claim_more, r"its array `seen` is int8 \[\d+, 4, 4\], not int8 \[10000"),
        (_claim_wider, r"its array `seen` is int8 \[\d+, 4, 4\], not int8 \[\d+, 4, 4000\]"),
        (_name_another_file, "block 0 names other files"),
        (_lose_a_split, "KeyError 'test'"),
        (_be_newer, "not the metadata of a jaxsweep-dataset of version 1"),
        (lambda found: found["blocks"][0].update(end=-1), "a count of block 0 is none"),
        (
            lambda found: found.update(finished=False),
            "is not finished; `python -m jaxsweep.dataset",
        ),
        (lambda found: found["settings"].update(mines=99), "holds 0 to 16 mines, not 99"),
    ],
)
def test_forged_metadata_gets_a_sentence(tmp_path, change, sentence):
    make_dataset(tmp_path, replace(TINY, positions=30))
    forge(tmp_path, change)
    with pytest.raises(DatasetError, match=sentence):
        load_dataset(tmp_path)


def places_in(data, place=()):
    """All places of plain data, as keys one in the other."""
    yield place
    inner = dict(enumerate(data)) if isinstance(data, list) else data
    for key, value in inner.items() if isinstance(inner, dict) else ():
        yield from places_in(value, (*place, key))


@given(data=st.data())
def test_any_metadata_is_refused_or_that_of_what_is_there(tiny, data):
    found = read_metadata(tiny)
    place = data.draw(st.sampled_from([place for place in places_in(found) if place]))
    within = found
    for key in place[:-1]:
        within = within[key]
    within[place[-1]] = data.draw(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
        | st.just([]) | st.just({})
    )  # fmt: skip
    # What cannot be summed up keeps the checksum that it had: that, too, must be refused or right.
    with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError):
        found["checksum"] = checksum(found["blocks"])
    with contextlib.suppress(DatasetError):
        check_metadata(tiny / METADATA, found)
        for number in range(len(found["blocks"])):
            assert len(read_shard(tiny, found, number, "train"))


def test_missing_and_cut_files_get_a_sentence(tmp_path):
    with pytest.raises(DatasetError, match="holds no data set"):
        load_dataset(tmp_path)
    make_dataset(tmp_path / "data", replace(TINY, positions=30))
    with pytest.raises(DatasetError, match="no split 'dev'; there are train, validation, test"):
        load_dataset(tmp_path / "data", "dev")
    shard, metadata = (tmp_path / "data" / name for name in ("train-000000.npz", "metadata.json"))
    shard.write_bytes(shard.read_bytes()[:-30])
    with pytest.raises(DatasetError, match=r"train-000000\.npz is damaged: its checksum"):
        load_dataset(tmp_path / "data")
    shard.unlink()
    with pytest.raises(DatasetError, match=r"train-000000\.npz is missing"):
        load_dataset(tmp_path / "data")
    metadata.write_bytes(metadata.read_bytes()[:-30])
    with pytest.raises(DatasetError, match=r"metadata\.json is damaged: it is not JSON"):
        load_dataset(tmp_path / "data")


@given(place=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255), cut=st.booleans())
def test_bytes_that_are_no_shard_are_refused_or_read(tiny, place, value, cut):
    sound = (tiny / "test-000000.npz").read_bytes()
    count = read_metadata(tiny)["blocks"][0]["shards"]["test"]["positions"]
    at = int(place * len(sound))
    data = sound[:at] if cut else sound[:at] + bytes([value]) + sound[at + 1 :]
    try:
        found = LabelledPositions.from_bytes(data, count, 4, 4)
    except DatasetError:
        return
    assert len(found) == count
    assert found.seen.shape == (count, 4, 4)
