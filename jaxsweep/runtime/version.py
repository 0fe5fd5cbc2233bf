"""The version of this package, defined only here: the build reads it from this file."""

__version__ = "0.1.0"
