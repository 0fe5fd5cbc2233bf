"""The window: watch a strategy, step through a replay, play, and look at any position's odds.

`model` holds all state and `update(model, event) -> model`; `draw` puts a model onto any surface;
`thinker` asks the engine, in a process of its own; `window` is the loop between them.
"""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # Commands print what they are asked.
