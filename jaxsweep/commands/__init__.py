"""The command lines: one module for each command, and what they share in `arguments`.

The module `jaxsweep.play` runs `commands.play.main`, and so on. Each `main` takes the arguments and
returns the exit status; bad input raises `UserError`, which `arguments.run` turns into a sentence
and status 2. Arguments are parsed without JAX; `arena_run` plays what `arena` has parsed.
"""
