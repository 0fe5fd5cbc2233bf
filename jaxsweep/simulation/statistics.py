"""Confidence intervals of proportions."""

import math

Z95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Returns the 95 % score interval of a proportion (Wilson 1927); (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    share, z2 = successes / trials, Z95 * Z95
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = share * (1 - share) / trials + z2 / (4 * trials * trials)
    half = Z95 / (1 + z2 / trials) * math.sqrt(spread)
    # With no or only successes, one bound is the proportion itself: rounding must not pass it.
    return min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))


def paired_difference(only_first: int, only_second: int, trials: int) -> tuple[float, float, float]:
    """Returns the difference of two proportions over the same trials, and its 95 % interval.

    The interval is the adjusted Wald interval for matched pairs (Agresti and Min 2005): half a
    trial is added to each of the four outcomes. Trials in which both or neither succeed enter
    only through their number.

    Args:
        only_first: trials in which only the first succeeds.
        only_second: trials in which only the second succeeds.
        trials: all trials, at least one.

    Returns:
        The difference, first less second, and the interval's lower and upper bound.

    """
    difference = (only_first - only_second) / trials
    first, second, total = only_first + 0.5, only_second + 0.5, trials + 2
    centre = (first - second) / total
    half = Z95 * math.sqrt(first + second - (first - second) ** 2 / total) / total
    return difference, min(difference, centre - half), max(difference, centre + half)
