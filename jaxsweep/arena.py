"""`python -m jaxsweep.arena`: measure the win rate of players."""

from jaxsweep.commands import arguments
from jaxsweep.commands.arena import main

if __name__ == "__main__":
    arguments.run(main)
