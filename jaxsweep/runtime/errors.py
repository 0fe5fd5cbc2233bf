"""The exception for bad input."""


class UserError(ValueError):
    """Bad input, described in one sentence; command lines print it and exit with status 2."""
