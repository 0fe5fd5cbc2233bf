"""The rules of Minesweeper, and what follows from a position without guessing.

`level` defines boards and start rules. On the device, `bitboard` packs grids into words, `game`
deals and plays, `position` is what a player sees, `deduction` finds certain cells and `frontier`
builds the constraint arrays of the engines; `randomness` draws integers, and `arrays` has prefix
sums and stream compaction. On the host, `grid` and `board` do the same for one board in NumPy.
`status` is shared by both.
"""
