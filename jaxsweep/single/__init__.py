"""One game or position on the host: analysis, watching, a person's game, replays."""
