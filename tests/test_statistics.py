import pytest

from jaxsweep.simulation.statistics import wilson


def test_wilson_matches_known_values():
    assert wilson(10, 20) == pytest.approx((0.29930, 0.70070), abs=1e-5)
    assert wilson(1, 10) == pytest.approx((0.01788, 0.40415), abs=1e-5)


@pytest.mark.parametrize("trials", [1, 7, 1_000_000])
def test_wilson_reaches_the_ends(trials):
    assert wilson(0, trials)[0] == 0.0
    assert wilson(trials, trials)[1] == 1.0
    assert wilson(0, trials)[1] < 1.0


def test_without_trials_nothing_is_known():
    assert wilson(0, 0) == (0.0, 1.0)
