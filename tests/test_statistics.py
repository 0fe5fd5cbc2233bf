import math
from fractions import Fraction

import pytest

from jaxsweep.simulation.statistics import Z95, paired_difference, wilson


def test_wilson_matches_known_values():
    assert wilson(10, 20) == pytest.approx((0.29930, 0.70070), abs=1e-5)
    assert wilson(1, 10) == pytest.approx((0.01788, 0.40415), abs=1e-5)


@pytest.mark.parametrize("trials", [1, 7, 1_000_000])
def test_wilson_bounds_are_exact_without_failures_or_successes(trials):
    assert wilson(0, trials)[0] == 0.0
    assert wilson(trials, trials)[1] == 1.0
    assert wilson(0, trials)[1] < 1.0


def test_wilson_without_trials_is_the_unit_interval():
    assert wilson(0, 0) == (0.0, 1.0)


def test_paired_difference_worked_by_hand():
    """3 and 1 of 8: adjusted 3.5 and 1.5 of 10, centre 0.2, variance (5 − 2² / 10) / 10²."""
    expected = (0.25, 0.2 - 1.95996398 * 0.21447611, 0.2 + 1.95996398 * 0.21447611)
    assert paired_difference(3, 1, 8) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    ("only_first", "only_second", "trials"), [(150, 86, 1600), (7, 7, 20), (0, 4, 9), (5, 0, 5)]
)
def test_paired_difference_is_the_wald_interval_with_half_a_trial_per_outcome(
    only_first, only_second, trials
):
    """Agresti and Min: the mean and variance of +1, −1, 0 and 0 with weights n + 1/2."""
    same = trials - only_first - only_second
    half = Fraction(1, 2)
    weights = [(1, only_first + half), (-1, only_second + half), (0, same + 2 * half)]
    total = sum(weight for _, weight in weights)
    mean = sum(value * weight for value, weight in weights) / total
    variance = sum((value - mean) ** 2 * weight for value, weight in weights) / total
    margin = Z95 * math.sqrt(variance / total)
    difference = (only_first - only_second) / trials
    found = paired_difference(only_first, only_second, trials)
    low, high = min(difference, float(mean) - margin), max(difference, float(mean) + margin)
    assert found == pytest.approx((difference, low, high), abs=1e-12)


@pytest.mark.parametrize(("first", "second"), [(0.2, 0.1), (0.05, 0.05), (0.3, 0.25)])
def test_paired_difference_covers_the_true_difference(first, second):
    """The exact coverage: a sum over all results of 40 trials."""
    trials, coverage = 40, 0.0
    for a in range(trials + 1):
        for b in range(trials + 1 - a):
            _, low, high = paired_difference(a, b, trials)
            if low <= first - second <= high:
                ways = math.comb(trials, a) * math.comb(trials - a, b)
                same = (1 - first - second) ** (trials - a - b)
                coverage += ways * first**a * second**b * same
    assert 0.94 < coverage < 0.99


def test_paired_difference_is_open_if_no_trial_differs():
    difference, low, high = paired_difference(0, 0, 50)
    assert difference == 0.0
    assert low == -high < 0.0
