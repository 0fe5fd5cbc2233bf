"""The ones of a word, counted by the processor's own instruction."""

from typing import Any, no_type_check

from numba import types
from numba.extending import intrinsic


@no_type_check
def _population_count(context, word):
    """Says how the ones of a word are counted, to Numba."""

    def count(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), count


count_ones: Any = intrinsic(_population_count)
"""Counts the ones of a word of 64 bits."""
