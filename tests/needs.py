"""What some tests need and may be missing: they are skipped without it, but never in silence."""

import os
import shutil
from importlib.util import find_spec
from typing import NoReturn

import pytest


def program(*names):
    """The first of these that is installed; else the test is skipped, or fails if all must run."""
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        missing(f"needs {' or '.join(names)}, which is not installed")
    return found


def packages(*names, group="adapters"):
    """Skips a test or a whole file without these packages, or fails if all must run."""
    absent = [name for name in names if find_spec(name) is None]
    if absent:
        missing(f"needs {', '.join(absent)} of the group {group}", allow_module_level=True)


def missing(said, **options) -> NoReturn:
    if os.environ.get("JAXSWEEP_NEEDS") == "all":
        pytest.fail(said, pytrace=False)
    pytest.skip(said, **options)
