"""Benchmarks: the kernels that are timed, how they are timed, and other libraries to compare with.

`kernels.BENCHMARKS` has the benchmarks by name, `timing.measure` times one of them, and
`peers.compare_all` compares with other libraries. `python -m jaxsweep.bench` is the command line.
"""
