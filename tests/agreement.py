"""Analyses compared, as JSON."""

import json

import pytest


def same_analysis(answer, analysis):
    """Compares an answer with an analysis as JSON: equal, but for the last digits of estimates.

    Those come from machine code where it is on disk, and are rounded differently there.
    """
    answer, analysis = (json.loads(json.dumps(data)) for data in (answer, analysis))
    listed, expected = (
        data["best"].pop("candidates", []) if data["best"] else [] for data in (answer, analysis)
    )
    assert answer == analysis
    assert len(listed) == len(expected)
    for one, other in zip(listed, expected, strict=True):
        for name in ("win", "progress"):
            assert one.pop(name) == pytest.approx(other.pop(name), abs=1e-9)
        assert one == other
