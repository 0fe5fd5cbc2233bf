"""`python -m jaxsweep.grade`: what each move of recorded games risked, lost, and owed to luck."""

from jaxsweep.commands import arguments
from jaxsweep.commands.grade import main

if __name__ == "__main__":
    arguments.run(main)
