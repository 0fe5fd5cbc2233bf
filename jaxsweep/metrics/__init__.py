"""What players measure boards and games by: 3BV, ZiNi, clicks, efficiency, luck; without JAX.

- `board`: 3BV, openings and islands of one board; `boards`: of a batch, in machine code.
- `zini`: how few clicks a board takes, by the greedy algorithms ZiNi and HZiNi; also in `boards`.
- `game`: the clicks of a game, and the ratios that are made of them.
- `luck`: how likely it was to survive the clicks of a game.

`docs/grading.md` has the definition of each.
"""
