"""The rules of Minesweeper, and what follows from a position without guessing.

`level` defines boards and start rules, `status` the state of a game, and `reasons` why a cell is
opened. On the device, `bitboard` packs grids into words, `game` deals and plays, `position` is what
a player sees, `deduction` finds certain cells and `frontier` builds the constraint arrays of the
engines; `randomness` draws integers, and `arrays` has prefix sums and stream compaction. On the
host, without JAX, `grid` and `board` are the rules of one board in NumPy, `notation` is what a
player sees of it, with its text and JSON forms, and `threefry` draws the same random numbers;
`guesses` has the modes in which people play.
"""
