"""`python -m jaxsweep.replay`: show, check or export a recorded game."""

from jaxsweep.commands import arguments
from jaxsweep.commands.replay import main

if __name__ == "__main__":
    arguments.run(main)
