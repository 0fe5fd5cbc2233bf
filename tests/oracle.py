"""Plain, slow and independent: what the fast code is held against. Shares no code with it."""

import functools
import itertools
import math
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


def pair_rules(grid):
    """All that bounds on the mines of two sets of cells can tell, by set algebra: (safe, mines).

    For every two open numbers, their sets, intersection and differences, with the bounds that
    subsets and differences give; and single numbers. To a fixpoint.
    """
    rows, cols = len(grid), len(grid[0])
    board = PlainGame(rows, cols, [])
    safe, mines = set(), set()
    while True:
        sets = []
        for row in range(rows):
            for col in range(cols):
                if grid[row][col] >= 0:
                    around = board.neighbours((row, col))
                    hidden = {c for c in around if grid[c[0]][c[1]] < 0 and c not in safe}
                    need = grid[row][col] - len(hidden & mines)
                    if hidden - mines:
                        sets.append((frozenset(hidden - mines), need))
        new_safe, new_mines = set(), set()
        for a, need_a in sets:
            for b, need_b in sets:
                common = a & b
                if not common:
                    continue
                # Bounds on the mines of the intersection, and so on those of the difference.
                low = max(0, need_a - len(a - b), need_b - len(b - a))
                high = min(len(common), need_a, need_b)
                for part, least, most in (
                    (common, low, high),
                    (a - b, need_a - high, need_a - low),
                ):
                    if most <= 0:
                        new_safe |= part
                    if least >= len(part):
                        new_mines |= part
        if new_safe <= safe and new_mines <= mines:
            return safe, mines
        safe, mines = safe | new_safe, mines | new_mines


def layouts(grid, mines):
    """All layouts of a small board, by trying every one: a list of sets of cells."""
    rows, cols = len(grid), len(grid[0])
    board = PlainGame(rows, cols, [])
    hidden = [(r, c) for r in range(rows) for c in range(cols) if grid[r][c] < 0]
    shown = [
        (grid[r][c], board.neighbours((r, c)))
        for r in range(rows)
        for c in range(cols)
        if grid[r][c] >= 0
    ]
    if mines > len(hidden):
        return []
    tried = (set(chosen) for chosen in itertools.combinations(hidden, mines))
    return [
        chosen
        for chosen in tried
        if all(sum(cell in chosen for cell in around) == number for number, around in shown)
    ]


def count_by_integers(grid, mines):
    """The number of layouts, and of those with a mine in each hidden cell, in whole numbers.

    Every edge by walking its cells with a dictionary of what the numbers still need; the edges and
    the cells next to no number by binomial coefficients. Returns (total, {cell: count}).
    """
    rows, cols = len(grid), len(grid[0])
    board = PlainGame(rows, cols, [])
    numbers = {
        (r, c): {n for n in board.neighbours((r, c)) if grid[n[0]][n[1]] < 0}
        for r in range(rows)
        for c in range(cols)
        if grid[r][c] >= 0
    }
    if any(grid[r][c] > len(around) for (r, c), around in numbers.items()):
        return 0, {}
    hidden = {(r, c) for r in range(rows) for c in range(cols) if grid[r][c] < 0}
    around_cell = {cell: [n for n in board.neighbours(cell) if n in numbers] for cell in hidden}
    boundary = {cell for cell in hidden if around_cell[cell]}
    tables = []  # For each edge: its cells, {mines: layouts}, {cell: {mines: layouts with it}}.
    left = set(boundary)
    while left:
        # The cells of one edge, breadth first from its leftmost cell.
        order = [min(left, key=lambda cell: (cell[1], cell[0]))]
        seen = set(order)
        for cell in order:
            for number in around_cell[cell]:
                for other in sorted(numbers[number] - seen):
                    seen.add(other)
                    order.append(other)
        left -= seen
        tables.append((order, *_walk_edge(grid, order, around_cell, numbers)))
    free = len(hidden) - len(boundary)

    def weigh(skip=None):
        """Layouts by mines, of all edges but one."""
        sums = {0: 1}
        for i, (_, ways, _) in enumerate(tables):
            if i != skip:
                after = Counter()
                for (a, x), (b, y) in itertools.product(sums.items(), ways.items()):
                    after[a + b] += x * y
                sums = after
        return sums

    def close(sums, on_edge=((0, 1),)):
        return sum(
            x * y * math.comb(free, mines - a - b)
            for a, x in sums.items()
            for b, y in on_edge
            if mines - a - b >= 0
        )

    whole = weigh()
    total = close(whole)
    counts = {}
    for i, (order, _, through) in enumerate(tables):
        rest = weigh(skip=i)
        for cell in order:
            counts[cell] = close(rest, tuple(through[cell].items()))
    in_free = (
        sum(x * math.comb(free - 1, mines - a - 1) for a, x in whole.items() if mines - a - 1 >= 0)
        if free
        else 0
    )
    counts |= dict.fromkeys(hidden - boundary, in_free)
    return total, counts


def _walk_edge(grid, order, around_cell, numbers):
    """Forward and backward over states; whole numbers throughout."""
    place = {cell: i for i, cell in enumerate(order)}
    last = {n: max(place[c] for c in numbers[n]) for cell in order for n in around_cell[cell]}
    start = frozenset()
    front = [{(start, 0): 1}]  # State: the needs under way, and mines so far.
    for i, cell in enumerate(order):
        after = Counter()
        for (state, laid), ways in front[-1].items():
            for mine in (0, 1):
                new = _after_cell(grid, state, cell, mine, i, around_cell, last)
                if new is not None:
                    after[new, laid + mine] += ways
        front.append(after)
    back = {(start, 0): 1} if front[-1] else {}
    # Ways to go on from a state, by mines still to be laid.
    through = {}
    later = {start: Counter({0: 1})} if back else {}
    for i in range(len(order) - 1, -1, -1):
        cell, earlier, with_mine = order[i], {}, Counter()
        for state, laid in front[i]:
            ways_on = Counter()
            for mine in (0, 1):
                new = _after_cell(grid, state, cell, mine, i, around_cell, last)
                for more, ways in later.get(new, {}).items() if new is not None else ():
                    ways_on[more + mine] += ways
                    if mine:
                        with_mine[laid + more + 1] += front[i][state, laid] * ways
            earlier[state] = ways_on
        through[cell], later = with_mine, earlier
    return Counter({laid: ways for (_, laid), ways in front[-1].items()}), through


def _after_cell(grid, state, cell, mine, i, around_cell, last):
    needs = dict(state)
    for number in around_cell[cell]:
        need = needs.get(number, grid[number[0]][number[1]]) - mine
        if need < 0 or (last[number] == i and need):
            return None
        needs[number] = need
        if last[number] == i:
            del needs[number]
    return frozenset(needs.items())


def board_value(rows, cols, mines):
    """3BV, openings and islands of a board, by clicking on it and by growing sets."""
    game = PlainGame(rows, cols, mines)
    cells = list(itertools.product(range(rows), range(cols)))
    clicks = 0
    for cell in cells:
        if cell not in game.mines and game.number(cell) == 0 and cell not in game.opened:
            game.open([cell])
            clicks += 1
    left = {cell for cell in cells if cell not in game.mines and cell not in game.opened}
    openings, clicks, islands = clicks, clicks + len(left), 0
    while left:
        islands += 1
        group = [left.pop()]
        for cell in group:
            close = left.intersection(game.neighbours(cell))
            group.extend(close)
            left -= close
    return clicks, openings, islands


def zini(rows, cols, mines, human=False):
    """The clicks of greedy ZiNi, or HZiNi: all premiums counted anew before each move."""
    game = PlainGame(rows, cols, mines)
    order = [(r, c) for c in range(cols) for r in range(rows) if (r, c) not in game.mines]
    zeros = {cell for cell in order if game.number(cell) == 0}
    groups = {}
    for cell in order:
        if cell in zeros and cell not in groups:
            group = [cell]
            groups[cell] = len(groups)
            for member in group:
                for other in zeros.intersection(game.neighbours(member)) - set(groups):
                    groups[other] = groups[cell]
                    group.append(other)
    flags, clicks = set(), 0

    def is_worth_a_click(cell):
        return cell in zeros or not zeros.intersection(game.neighbours(cell))

    def premium(cell):
        around = game.neighbours(cell)
        hidden = {n for n in [cell, *around] if n not in game.opened and n not in game.mines}
        worth = {groups.get(n, n) for n in hidden if is_worth_a_click(n)}
        unflagged = sum(n in game.mines and n not in flags for n in around)
        return len(worth) - unflagged - (cell not in game.opened) - 1

    if human:
        for cell in order:
            if cell in zeros and cell not in game.opened:
                game.open([cell])
                clicks += 1
    while game.status == "playing":
        allowed = [cell for cell in order if not human or cell in game.opened]
        best = max(allowed, key=premium, default=None)
        if best is None or premium(best) < 0:
            game.open([next(c for c in order if c not in game.opened and is_worth_a_click(c))])
            clicks += 1
            continue
        around = game.neighbours(best)
        new = game.mines.intersection(around) - flags
        clicks += (best not in game.opened) + len(new) + 1
        flags |= new
        game.open([best])
        game.open([n for n in around if n not in game.mines])
    return clicks


def best_play(rows, cols):
    """How many layouts are won by the best play on boards of this size, by trying every cell.

    Returns a function of a set of layouts, and of cells to be opened first, all at once.
    """
    board = PlainGame(rows, cols, [])
    cells = list(itertools.product(range(rows), range(cols)))
    around = {cell: set(board.neighbours(cell)) for cell in cells}

    def parts(layouts, chosen):
        found = {}
        for layout in layouts:
            if not layout.intersection(chosen):
                numbers = tuple(len(layout & around[cell]) for cell in chosen)
                found.setdefault(numbers, set()).add(layout)
        return [frozenset(part) for part in found.values()]

    @functools.cache
    def best(layouts):
        if len(layouts) == 1:
            return 1
        ways = [parts(layouts, [cell]) for cell in cells]
        # What leaves all layouts tells nothing, and costs nothing.
        return max(sum(map(best, way)) for way in ways if way and way != [layouts])

    def won(layouts, first=()):
        return sum(map(best, parts(frozenset(map(frozenset, layouts)), list(first))))

    return won
