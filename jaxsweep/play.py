"""`python -m jaxsweep.play`: watch a strategy play, play yourself, or measure many games."""

from jaxsweep.commands import arguments
from jaxsweep.commands.play import main

if __name__ == "__main__":
    arguments.run(main)
