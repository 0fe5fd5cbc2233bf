"""What is wrong with something that a person gave."""


class UserError(ValueError):
    """Bad input, in one sentence for a person; command lines print it and leave with status 2."""
