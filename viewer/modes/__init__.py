"""One module for each mode: how keys, clicks and results of the engine change the model.

`replay` steps through a game, `watch` does so while a player plays it, `play` is a person's game,
`analyse` edits a position; `switch` goes from one mode to another.
"""
