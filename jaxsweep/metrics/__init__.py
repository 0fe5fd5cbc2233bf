"""What players measure boards and games by: 3BV, ZiNi, clicks, efficiency, luck; without JAX.

- `board`: 3BV, openings and islands of one board.
- `zini`: how few clicks a board takes, by the greedy algorithms ZiNi and HZiNi.
- `boards`: all these of a batch, in machine code.
- `game`: the clicks of a game, and the ratios that are made of them.
- `luck`: how likely it was to survive the clicks of a game.

`docs/grading.md` has the definition of each.
"""
