"""`python -m jaxsweep.bench`: time the kernels."""

from jaxsweep.commands import arguments
from jaxsweep.commands.bench import main

if __name__ == "__main__":
    arguments.run(main)
