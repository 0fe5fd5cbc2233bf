"""Plain, slow and independent: what the fast code is held against. Shares no code with it."""

from collections import Counter


class PlainGame:
    """Minesweeper with sets of (row, column) and a stack."""

    def __init__(self, rows, cols, mines):
        self.rows, self.cols, self.mines = rows, cols, set(mines)
        self.opened, self.flags = set(), set()
        self.numbers = Counter(n for mine in self.mines for n in self.neighbours(mine))

    def neighbours(self, cell):
        row, col = cell
        return [
            (r, c)
            for r in range(row - 1, row + 2)
            for c in range(col - 1, col + 2)
            if (r, c) != cell and 0 <= r < self.rows and 0 <= c < self.cols
        ]

    def number(self, cell):
        return self.numbers[cell]

    @property
    def status(self):
        if self.opened & self.mines:
            return "lost"
        safe = self.rows * self.cols - len(self.mines)
        return "won" if len(self.opened) == safe else "playing"

    def open(self, cells):
        if self.status != "playing":
            return
        stack = list(cells)
        while stack:
            cell = stack.pop()
            if cell in self.opened or cell in self.flags:
                continue
            self.opened.add(cell)
            if cell not in self.mines and self.number(cell) == 0:
                stack.extend(self.neighbours(cell))

    def flag(self, cells):
        if self.status == "playing":
            self.flags ^= set(cells) - self.opened

    def chord(self, cells):
        asked = []
        for cell in cells:
            around = self.neighbours(cell)
            if cell in self.opened and self.number(cell) == sum(n in self.flags for n in around):
                asked.extend(around)
        self.open(asked)


def single_cell_rules(grid):
    """The two single-cell rules on a list of rows (-1 hidden): (safe cells, mines), as sets."""
    rows, cols = len(grid), len(grid[0])
    board = PlainGame(rows, cols, [])
    safe, mines = set(), set()
    while True:
        before = len(safe) + len(mines)
        for row in range(rows):
            for col in range(cols):
                if grid[row][col] < 0:
                    continue
                hidden = [
                    cell
                    for cell in board.neighbours((row, col))
                    if grid[cell[0]][cell[1]] < 0 and cell not in safe
                ]
                unknown = [cell for cell in hidden if cell not in mines]
                if len(hidden) == grid[row][col]:
                    mines.update(unknown)
                elif len(hidden) - len(unknown) == grid[row][col]:
                    safe.update(unknown)
        if len(safe) + len(mines) == before:
            return safe, mines
