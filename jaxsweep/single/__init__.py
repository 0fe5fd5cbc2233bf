"""One game or one position on the host, for people: nothing here is batched.

- `advisor`: advice and beliefs by the scalar path, and by devices where that has none.
- `analysis`: one position analysed: beliefs, the best move, and why.
- `watch`: a player's game, move by move, the same as in the arena.
- `session`: the moves and boards of a person's game, with undo.
- `dealing`: boards without a guess, of a difficulty, dealt step by step.
- `bending`: mines that move where the mode of a game says what a guess leads to.
- `person`: a session with its clock, as the terminal and the window play it.
- `leaderboard`: finished games in a file, wins and best times.
- `replay`: games on disk, checked, and as pictures and pages.
- `terminal`: boards drawn in the terminal.
- `terminal_game`: a person's game in the terminal as pure state.
- `terminal_play`: its loop: keys, screen, files.
- `keyboard`: single key presses from the terminal.
- `outlines`: components and tile sets, to be drawn.
- `words`: moves, counts and probabilities in words.
"""
