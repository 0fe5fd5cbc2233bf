"""How long tests wait for other processes: none depends on the speed of the machine."""

PATIENCE = 600
"""Seconds after which a test gives up waiting for what should long have happened."""
