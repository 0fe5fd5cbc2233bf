"""What a folder holds, for the dialog that opens a file."""

import os
from pathlib import Path

from viewer.events import FolderEntry, FolderListed

MAX_ENTRIES = 500
"""The most rows: in a larger folder, the newest files."""


def list_folder(folder: str) -> FolderListed:
    """Lists the folders of a folder by name, then its files, the newest first."""
    place = Path(folder).resolve()
    try:
        found = [(entry, entry.stat()) for entry in _visible(place)]
    except OSError as error:
        return FolderListed(str(place), (), f"{place}: {error.strerror or error}")
    folders = sorted(entry.name for entry, _ in found if entry.is_dir())
    files = [(entry, facts) for entry, facts in found if entry.is_file()]
    files.sort(key=lambda pair: (-pair[1].st_mtime, pair[0].name))
    above = [] if place.parent == place else [FolderEntry(os.pardir, is_folder=True)]
    entries = (
        *above,
        *(FolderEntry(name, is_folder=True) for name in folders),
        *(FolderEntry(entry.name, bytes=facts.st_size) for entry, facts in files),
    )
    return FolderListed(str(place), entries[:MAX_ENTRIES])


def _visible(place: Path) -> list[os.DirEntry]:
    """Returns the entries that are not hidden and, if they are links, lead somewhere."""
    with os.scandir(place) as entries:
        return [each for each in entries if not each.name.startswith(".") and _exists(each)]


def _exists(entry: os.DirEntry) -> bool:
    try:
        entry.stat()
    except OSError:
        return False
    return True
