"""`python -m jaxsweep.dataset`: make data sets of positions with exact labels."""

from jaxsweep.commands import arguments
from jaxsweep.commands.dataset import main

if __name__ == "__main__":
    arguments.run(main)
