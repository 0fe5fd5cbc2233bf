"""The command lines, and what they share."""
