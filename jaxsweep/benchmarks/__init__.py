"""Benchmarks: the kernels that are timed, how they are timed, and other libraries to compare with.

`catalogue.BENCHMARKS` has the benchmarks by name, `kernels` what they call, `timing.measure` times
one of them, `profile` divides the time of a player's games, `peers.compare_all` compares with other
libraries, and `rivals.duel` with any program that plays games. `python -m jaxsweep.bench` is the
command line.
"""
