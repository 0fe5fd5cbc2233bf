"""Programs of the system that some tests need: skipped without them, but never in silence."""

import os
import shutil

import pytest


def program(*names):
    """The first of these that is installed; else the test is skipped, or fails if all must run."""
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        said = f"needs {' or '.join(names)}, which is not installed"
        if os.environ.get("JAXSWEEP_NEEDS") == "all":
            pytest.fail(said)
        pytest.skip(said)
    return found
