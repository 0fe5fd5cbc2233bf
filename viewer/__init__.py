"""The window: play, watch a player, step through a replay, and see the odds of any position.

`model` holds the state, and `update` is the pure function from an event to the next state, with a
module for each mode in `modes`. `drawing` draws a model onto any surface. `effects` are what
`update` asks for, and `window` is the loop that carries them out; `engine_worker` runs the engine
in a process of its own.
"""

import os

# Without this, importing pygame prints a greeting.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
