"""Boards to order: drawn uniformly from all that satisfy wishes, with proof that none is a gamble.

A *puzzle* is a board that can be solved from its first cell without a guess. `search` finds boards,
and `repair` makes dense ones. `proofs` writes down how one is solved, and `checker`, which shares
no code with it, verifies that. `difficulty` says how hard it is, and `judging` answers questions
about any board.
"""
