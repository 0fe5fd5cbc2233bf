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
