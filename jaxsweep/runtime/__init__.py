"""Services that know nothing of Minesweeper.

`compilation` sets up JAX's persistent cache, `programs` keeps large programs compiled on disk,
`machine` describes and configures devices, `materialize` stops XLA's fusion, `registry` imports
entries when they are looked up, `files` writes files atomically; `errors` and `version` are what
their names say.
"""
