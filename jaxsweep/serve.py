"""`python -m jaxsweep.serve`: a JSON API over HTTP, and a web page."""

from jaxsweep.commands import arguments
from jaxsweep.commands.serve import main

if __name__ == "__main__":
    arguments.run(main)
