// The rules of a person's game: opening with flood fill, flags, chords; every move can be undone.

import { FLAG, HIDDEN, Position } from "./position.js";

export function neighbours(cell, rows, cols) {
  const row = Math.floor(cell / cols), col = cell % cols, found = [];
  for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, rows - 1); r++)
    for (let c = Math.max(col - 1, 0); c <= Math.min(col + 1, cols - 1); c++)
      if (r !== row || c !== col) found.push(r * cols + c);
  return found;
}

// The number in every cell of a layout, as rows of "." and "*"; null in mines.
export function numbersOf({ rows, cols, layout }) {
  const mined = [...layout.join("")].map((symbol) => symbol === "*");
  return mined.map((mine, cell) =>
    mine ? null : neighbours(cell, rows, cols).filter((other) => mined[other]).length);
}

// The cells that a click opens: itself, and around zeros all others.
function flood(start, numbers, openable, rows, cols) {
  const found = new Set(), waiting = [start];
  while (waiting.length) {
    const cell = waiting.pop();
    if (found.has(cell) || !openable(cell)) continue;
    found.add(cell);
    if (numbers[cell] === 0) waiting.push(...neighbours(cell, rows, cols));
  }
  return found;
}

// The fewest left clicks that win without flags: openings, and numbers that touch none.
export function threeBV({ rows, cols }, numbers) {
  const seen = new Set();
  let clicks = 0;
  numbers.forEach((number, cell) => {
    if (number !== 0 || seen.has(cell)) return;
    clicks++;
    for (const one of flood(cell, numbers, (other) => numbers[other] !== null, rows, cols))
      seen.add(one);
  });
  numbers.forEach((number, cell) => { if (number !== null && !seen.has(cell)) clicks++; });
  return clicks;
}

export class Game {
  constructor({ rows, cols, mines, start }) {
    Object.assign(this, { rows, cols, mines, start });
    this.dealt = null;
    this.numbers = null;
    this.opened = new Set();
    this.flags = new Set();
    this.moves = [];
    this.past = [];
    this.clicks = 0;
    this.helped = false;
  }

  get size() { return this.rows * this.cols; }
  get isOver() { return this.status !== "playing"; }

  get status() {
    if (!this.dealt) return "playing";
    for (const cell of this.opened) if (this.numbers[cell] === null) return "lost";
    return this.opened.size === this.size - this.mines ? "won" : "playing";
  }

  // The mines, as the server has dealt them for the first cell.
  take(dealt) {
    this.dealt = dealt;
    this.numbers = numbersOf(dealt);
  }

  open(cell, seconds) {
    if (this.isOver || this.flags.has(cell) || this.opened.has(cell)) return false;
    this.clicks++;
    return this.#play([cell], null, seconds);
  }

  chord(cell, seconds) {
    if (this.isOver || !this.opened.has(cell)) return false;
    const around = neighbours(cell, this.rows, this.cols);
    const flagged = around.filter((other) => this.flags.has(other)).length;
    const cells = around.filter((other) => !this.opened.has(other) && !this.flags.has(other));
    if (flagged !== this.numbers[cell] || !cells.length) return false;
    this.clicks++;
    return this.#play(cells, cell, seconds);
  }

  flag(cell, seconds) {
    if (this.isOver || this.opened.has(cell)) return false;
    this.#remember();
    this.clicks++;
    this.flags = new Set(this.flags);
    if (!this.flags.delete(cell)) this.flags.add(cell);
    this.#record({ cells: [], flags: [cell], opened: [] }, seconds);
    return true;
  }

  undo() {
    const before = this.past.pop();
    if (!before) return false;
    Object.assign(this, before);
    this.helped = true;
    return true;
  }

  #play(cells, chord, seconds) {
    this.#remember();
    const opened = new Set(this.opened), fresh = [];
    const openable = (cell) => !opened.has(cell) && !this.flags.has(cell);
    for (const cell of cells)
      for (const one of flood(cell, this.numbers, openable, this.rows, this.cols)) {
        opened.add(one);
        fresh.push(one);
      }
    this.opened = opened;
    fresh.sort((a, b) => a - b);
    const move = { cells, ...(chord === null ? {} : { chord }), opened: fresh };
    this.#record(move, seconds);
    return true;
  }

  #remember() {
    const { opened, flags, moves } = this;
    this.past.push({ opened, flags, moves });
  }

  #record(move, seconds) {
    const made = { ...move, reason: "player", risk: null, seconds };
    this.moves = [...this.moves, made];
  }

  // What the player sees.
  position() {
    const seen = new Position(this.rows, this.cols, this.mines);
    for (let cell = 0; cell < this.size; cell++) {
      if (this.flags.has(cell)) seen.cells[cell] = FLAG;
      else if (this.opened.has(cell) && this.numbers[cell] !== null)
        seen.cells[cell] = this.numbers[cell];
      else seen.cells[cell] = HIDDEN;
    }
    return seen;
  }

  toReplay(seconds) {
    return {
      format: "jaxsweep-replay", version: 1, ...this.dealt, strategy: "human",
      moves: this.moves, outcome: this.status, seconds,
    };
  }
}
