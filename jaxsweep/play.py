"""`python -m jaxsweep.play`: watch a player, measure its win rate, or play yourself."""

from jaxsweep.commands import arguments
from jaxsweep.commands.play import main

if __name__ == "__main__":
    arguments.run(main)
