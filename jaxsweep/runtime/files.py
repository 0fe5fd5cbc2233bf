"""Files that are written whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Calls `write` with the path of a temporary file, then renames that file to `path`.

    Readers see the old file or the whole new one, also after a crash: the data is on the disk
    before the rename. The temporary name holds the process id, since several processes may write
    the same file at once. If `write` raises, nothing is left behind.

    What is no file, such as a pipe or /dev/stdout, is written to: it must not be replaced by one.
    """
    if path.exists() and not path.is_file():
        write(path)
        return
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        with open(temporary, "r+b") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
