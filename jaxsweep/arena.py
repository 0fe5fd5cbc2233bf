"""`python -m jaxsweep.arena`: measure players over many games."""

from jaxsweep.commands import arguments
from jaxsweep.commands.arena import main

if __name__ == "__main__":
    arguments.run(main)
