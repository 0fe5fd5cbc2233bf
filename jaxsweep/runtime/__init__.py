"""The machine, the compiler and files: what knows nothing of Minesweeper."""
