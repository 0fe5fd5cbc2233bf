"""Many games in batches, on all devices.

- `settings`: what the games of a run depend on; needs no JAX.
- `episode`: one game in progress, and the steps that advance it.
- `device_state`: the episodes of a device, and what it and the host tell each other.
- `scheduler`: a device's program, which keeps it busy with many episodes.
- `matches`: plays a given number of games and records them.
- `runs`: records on disk, so that a run can be resumed.
- `summary`: the figures of a run, and comparisons of two.
- `statistics`: confidence intervals.
- `stuck_positions`: samples positions for tests and benchmarks.
"""
