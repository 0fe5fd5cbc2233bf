"""Real replays, and what ms_toollib says of any: in a process of its own, which bad files end."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE

_BESIDE = Path(__file__).parents[2] / "shared" / "data" / "replays"

REPLAYS = Path(os.environ.get("JAXSWEEP_REPLAYS", _BESIDE))
"""The folder of real replays: beside the project, or where JAXSWEEP_REPLAYS says."""

FACTS = """
import json, sys, tempfile
import ms_toollib

METRICS = ("bbbv_solved", "ce", "bbbv_s", "etime", "ioe", "corr", "thrp", "rqp", "qg", "stnb")

KINDS = {
    "evf": ms_toollib.EvfVideo,
    "rmv": ms_toollib.RmvVideo,
    "avf": ms_toollib.AvfVideo,
    "mvf": ms_toollib.MvfVideo,
}
for line in sys.stdin:
    name = line.strip()
    video = KINDS[name.rpartition(".")[2]](name)
    video.parse()
    video.analyse()
    video.current_time = 1e9
    board = [[r, c] for r, row in enumerate(video.board) for c, x in enumerate(row) if x == -1]
    facts = {"mines": board, "rtime": video.rtime}
    facts |= {"left": video.left, "right": video.right, "double": video.double, "evf": {}}
    facts |= {one: getattr(video, one) for one in METRICS}
    several = ms_toollib.Evfs()
    for version in (0, 2, 3, 4):
        getattr(video, f"generate_evf_v{version}_raw_data")()
        # Version 2 is marked as version 0, which has no device in its header.
        data = bytes([version]) + bytes(video.raw_data)[1:]
        facts["evf"][version] = data.hex()
        several.push(data, f"version {version}", b"checksum")
    several.generate_evfs_v0_raw_data()
    with tempfile.TemporaryDirectory() as folder:
        path = several.save_evfs_file(f"{folder}/several")
        facts["evfs"] = open(path, "rb").read().hex()
    print(json.dumps(facts), flush=True)
"""


def ms_toollib_facts(paths):
    """The mines, the time and the clicks of each of these files, as ms_toollib counts them.

    And the metrics of the game; `evf`: the same game as it writes it, in hexadecimal digits, by
    version; `evfs`: all of these in one file.
    """
    done = subprocess.run(
        [sys.executable, "-c", FACTS],
        input="\n".join(map(str, paths)),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
