"""The decorators that compile a function to machine code, and where the code is kept on disk.

Numba looks a function up by the time stamp of its own file, and would not notice a change of a
function that it calls, or of a constant that it uses, in another one. So the code is kept in a
folder that is named after all sources that it can depend on.
"""

import atexit
import hashlib
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numba
from numba.core import config

from jaxsweep.runtime.compilation import cache_folder

_PREFIX = "native-"

_OLD = 30 * 24 * 3600
"""Seconds after which machine code of other sources is deleted: it may be in use meanwhile."""


def _use_cache() -> Path:
    """Keeps machine code with JAX's, and deletes old code of other versions of the sources."""
    digest, package = hashlib.sha256(), Path(__file__).parents[1]
    for name in ("native", "scalar", "rules"):
        for file in sorted((package / name).glob("*.py")):
            digest.update(file.name.encode() + file.read_bytes())
    folder = cache_folder() / f"{_PREFIX}{digest.hexdigest()[:16]}"
    for other in folder.parent.glob(f"{_PREFIX}*"):
        if other != folder and time.time() - _last_change(other) > _OLD:
            shutil.rmtree(other, ignore_errors=True)
    folder = _writable(folder)
    settings: Any = config  # Its attributes are made at run time.
    settings.CACHE_DIR = str(folder)
    return folder


def _writable(folder: Path) -> Path:
    """Returns a folder if it can be written to, else one that lives as long as this process.

    Numba would keep the code beside the sources otherwise, and would not notice their changes.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        own = Path(tempfile.mkdtemp(prefix=_PREFIX))
        atexit.register(shutil.rmtree, own, ignore_errors=True)
        return own


def _last_change(folder: Path) -> float:
    """Returns when a folder was last written to; now, if it has just vanished."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return time.time()


_FOLDER = _use_cache()

compiled = numba.njit(cache=True, nogil=True, error_model="numpy")
"""Compiles a function on its first call, or loads its machine code; it runs without the GIL."""

inlined = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
"""Compiles a function into those that call it: for what takes less time than passing its arrays,
each of which is seven arguments."""


def is_on_disk(function: str) -> bool:
    """Returns whether a function, as `module.name`, was compiled on this or an earlier start."""
    return any(_FOLDER.rglob(f"{function}*.nbc"))


def is_kept() -> bool:
    """Returns whether machine code outlives this process: not where its folder is read-only."""
    return _FOLDER.parent == cache_folder()
