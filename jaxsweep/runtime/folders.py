"""Folders that hold the files of one run, and a manifest that says which run that is."""

import json
from pathlib import Path
from typing import Any

from jaxsweep.runtime.errors import UserError
from jaxsweep.runtime.files import write_atomically


def claim_folder(
    manifest: Path, content: dict[str, Any], what: str, error: type[UserError]
) -> dict[str, Any]:
    """Makes the folder of a run and writes its manifest, or checks that the run is the same.

    Args:
        manifest: the file, in the folder of the run.
        content: what the manifest of a new run holds; its `settings` are what the run depends on.
        what: the run in a word, such as "a run".
        error: the exception that says why a folder is refused: it has other settings, or other
            files, or a damaged manifest.

    Returns what the manifest holds.

    """
    folder = manifest.parent
    # As JSON reads it back: tuples become lists.
    content = json.loads(json.dumps(content))
    if manifest.exists():
        found = _read_manifest(manifest, error)
        for name, value in content["settings"].items():
            other = found["settings"].get(name)
            if other != value:
                raise error(
                    f"{folder} holds {what} with {name} {other}, not {value}; "
                    f"choose another --out, or the same settings"
                )
        return found
    if folder.exists() and any(not _is_manifest(file, manifest) for file in folder.iterdir()):
        raise error(f"{folder} holds other files and no {manifest.name}; choose another --out")
    folder.mkdir(parents=True, exist_ok=True)
    write_manifest(manifest, content)
    return content


def write_manifest(manifest: Path, content: dict[str, Any]) -> None:
    """Writes a manifest, whole or not at all."""
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    write_atomically(manifest, lambda part: part.write_bytes(text.encode()))


def _read_manifest(manifest: Path, error: type[UserError]) -> dict[str, Any]:
    try:
        found = json.loads(manifest.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("settings"), dict):
        raise error(f"{manifest} is damaged: it holds no settings; delete it with its shards")
    return found


def _is_manifest(file: Path, manifest: Path) -> bool:
    """Returns whether a file is the manifest, or a temporary one of another process writing it."""
    return file.name.startswith(manifest.stem)
