"""`python -m jaxsweep.boards`: boards to order, and judgements of any board."""

from jaxsweep.commands import arguments
from jaxsweep.commands.boards import main

if __name__ == "__main__":
    arguments.run(main)
