"""Honest error bars for shares."""

import math

Z95 = 1.959963984540054


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share; (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    share, z2 = successes / trials, Z95 * Z95
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = share * (1 - share) / trials + z2 / (4 * trials * trials)
    half = Z95 / (1 + z2 / trials) * math.sqrt(spread)
    # At 0 or all successes the bound is 0 or 1 exactly; rounding must not step past the share.
    return min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))


def paired_difference(only_first: int, only_second: int, trials: int) -> tuple[float, float, float]:
    """The difference of two shares of the same trials, and its 95 % interval.

    Trials in which both succeed, or neither, tell nothing of it. Half a trial more of each
    kind keeps the interval open where none differ (Agresti and Min).
    """
    difference = (only_first - only_second) / trials
    first, second, total = only_first + 0.5, only_second + 0.5, trials + 2
    centre = (first - second) / total
    half = Z95 * math.sqrt(first + second - (first - second) ** 2 / total) / total
    return difference, min(difference, centre - half), max(difference, centre + half)
