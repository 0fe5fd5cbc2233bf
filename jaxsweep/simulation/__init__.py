"""Many games in batches, on all devices.

`episode` advances games by one step, `scheduler` keeps a device busy with many of them, `matches`
plays a given number of games and records them, and `runs` stores records on disk so that a run can
be resumed. `statistics` has confidence intervals; `stuck_positions` samples test positions.
"""
