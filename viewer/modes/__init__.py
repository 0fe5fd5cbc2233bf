"""One module a mode: what keys, clicks and answers make of the model in it.

`replay` steps through a game, `watch` does so while a player plays it, `play` is a person's game,
`analyse` edits a position; `switch` goes from one mode to another.
"""
