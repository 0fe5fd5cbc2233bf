"""The rules of the game: boards, levels, deals, positions, and what follows from them."""
