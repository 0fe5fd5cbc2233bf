"""Engines: from a position to beliefs. One file an engine."""
