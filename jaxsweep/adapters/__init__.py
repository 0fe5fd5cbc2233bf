"""The game in the interfaces of other libraries: Gymnasium, jumanji, pgx and gymnax.

Each is a module, named after the library, over `jaxsweep.functional`. None is imported before it is
used, and each needs its library: `pip install "jaxsweep[gym]"`, or `jumanji`, `pgx`, `gymnax`.
"""
