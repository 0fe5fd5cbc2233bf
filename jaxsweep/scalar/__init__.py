"""One position on the host, in Python integers: nothing here needs JAX, and nothing is compiled.

People come with one position and want an answer at once; tracing and compiling kernels for a batch
of one would take seconds. This package is the scalar path: the same rules, the same exact inference
and the same players, for one position.

- `deal`, `game`: the mines of a game, dealt as on devices; a game, advanced in the same rounds.
- `geometry`, `view`: sets of cells as integers; what a player sees.
- `deduction`: the rounds of deduction, as the arena plays them.
- `counting`, `exact`: exact counting of components, and of whole positions, with a budget.
- `layout_draws`: a layout drawn uniformly from the consistent ones.
- `least_risk`, `fifty_fifty`, `lookahead`, `win_probability`: how a cell is chosen.
- `endgame`, `layout_listing`, `small_boards`: exhaustive search over sets of layouts.
- `players`: every player's parameters by name, and their advice in one position.
- `advice`: what a player advises, and what that rests on.

The parameters, weights and orders of ties here are also those of the strategies on devices.
"""
