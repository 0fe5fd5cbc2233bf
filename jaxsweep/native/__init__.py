"""The scalar path compiled to machine code, for batches of positions on the host's cores.

The same algorithms as in `scalar`, on arrays instead of Python's integers: exact counting by
merging equal states, the end-game search, and the players. Compiled by Numba on first use and kept
on disk; all functions release the GIL, so that one thread a core can call them.
"""
