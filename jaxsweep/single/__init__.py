"""One game or one position on the host, for people: nothing here is batched.

`analysis` analyses a position, `watch` plays a strategy's game move by move, `session` is a
person's game, and `replay` records games. `terminal` draws boards as text, `terminal_play` plays in
a terminal, and `leaderboard` stores best times.
"""
