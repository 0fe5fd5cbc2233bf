"""`python -m jaxsweep.analyze`: the odds of a position, and the best move."""

from jaxsweep.commands import arguments
from jaxsweep.commands.analyze import main

if __name__ == "__main__":
    arguments.run(main)
