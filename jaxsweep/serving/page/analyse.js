// Analysing: a position that is drawn, pasted, dropped or carried by a link, and what is known of it.

import { Answer } from "./answer.js";
import { sign } from "./board.js";
import { CellCard } from "./cell.js";
import { at } from "./elements.js";
import { FLAG, HIDDEN, Position, fromLink } from "./position.js";
import * as server from "./server.js";

const PAUSE = 90;
const SLOW = 300;
const AGAIN = 3000;
const UNDONE_AT_MOST = 500;
const BRUSHES = [
  ["next", "↻", "the next one"], ["H", "", "hidden"], ...[..."012345678"].map((n) => [n, n, n]),
  ["F", "", "flag"],
];
// What is shown until a person brings a position.
const EXAMPLE =
  "16x16x40-6a2bc2Hd4H2b4abH2cd6Hb4ab4c5Hb3c3bcHcHc4Hbc2HbcHdb2c6H3cbcHdb2c5H2cb2a2bcHcHd4HbHb4a2b2dH2cdH3c2a3babH2cbc2bHc2bcHd2b3cHba2bcHbc2HbabHc2b3a2b2cdcba2bc2b3a2bcHc2b2abcHba3bHcbcHb2acHedcH4ba3b2acHd2H2b9a2b3c";

export class Analyse {
  constructor(page) {
    this.page = page;
    this.analysis = null;
    this.brush = "next";
    this.position = fromLink(EXAMPLE);
    this.past = [];
    this.several = [];
    this.pointed = null;
    this.conflicts = new Set();
    this.cell = new CellCard();
    this.answer = new Answer({
      point: (cell) => {
        page.board.highlight(cell);
        this.point(cell);
      },
      go: (cell) => {
        page.board.focus(cell);
        page.board.reveal(cell);
      },
    });
    this.#brushes();
    for (const id of ["edit-rows", "edit-cols", "edit-mines"])
      at(id).addEventListener("change", () => this.#sized(id));
    at("edit-level").addEventListener("change", () => this.#level());
    at("which-of-positions").addEventListener("change", (event) =>
      this.#edit(this.several[event.target.value], this.several));
  }

  enter(link) {
    if (!link || link === this.position.toLink()) return this.show(this.position, this.several);
    let position;
    try {
      position = fromLink(decodeURIComponent(link));
    } catch (error) {
      return this.#refuse(error.message);
    }
    this.show(position);
  }

  leave() {
    this.pending?.abort();
    clearTimeout(this.timer);
    this.page.board.highlight(null);
  }

  // Shows a position, perhaps one of several that were brought along.
  show(position, several = []) {
    const isSame = position === this.position && this.analysis;
    if (position.cells.length !== this.position.cells.length) this.pointed = null;
    this.position = position;
    this.#fill(several);
    this.page.remember(`analyse=${position.toLink()}`);
    if (isSame) return this.draw();
    this.analysis = null;
    this.conflicts.clear();
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), PAUSE);
  }

  #fill(several) {
    const { position } = this;
    at("edit-rows").value = position.rows;
    at("edit-cols").value = position.cols;
    at("edit-mines").value = position.mines;
    const named = Object.entries(this.page.about.levels).find(([, level]) =>
      ["rows", "cols", "mines"].every((name) => level[name] === position[name]));
    at("edit-level").value = named ? named[0] : "custom";
    if (several !== this.several) {
      at("which-of-positions").replaceChildren(
        ...several.map((_, i) => new Option(`position ${i + 1} of ${several.length}`, i)));
      this.several = several;
    }
    at("which-position").hidden = several.length < 2;
    if (several.includes(position)) at("which-of-positions").value = several.indexOf(position);
  }

  // Shows a position that a person has made of the one before it, which can be undone.
  #edit(position, several = this.several) {
    if (this.past.push(this.position) > UNDONE_AT_MOST) this.past.shift();
    this.show(position, several);
  }

  // Shows what a person has brought along.
  bring(positions) { this.#edit(positions[0], positions); }

  #undo() {
    if (this.past.length) this.show(this.past.pop(), this.several);
  }

  // What a link was to carry cannot be shown: an empty board, and why.
  #refuse(sentence) {
    this.position = new Position(9, 9, 10);
    this.analysis = null;
    this.conflicts.clear();
    this.#fill([]);
    this.draw();
    clearTimeout(this.timer);
    this.#wrong(sentence);
  }

  async #ask() {
    this.pending?.abort();
    const pending = (this.pending = new AbortController()), { position } = this;
    const slow = setTimeout(() => this.page.headline("Thinking…"), SLOW);
    try {
      const found = await server.analyze(position.toJson(), pending.signal);
      if (position !== this.position) return;
      this.analysis = found;
      this.draw();
      if (found.best) this.page.board.reveal(found.best.row * position.cols + found.best.col);
    } catch (error) {
      if (error.name === "AbortError" || position !== this.position) return;
      this.#wrong(error.isSilent ? `${error.message} Trying again…` : error.message);
      if (error.isSilent) this.timer = setTimeout(() => this.#ask(), AGAIN);
    } finally {
      clearTimeout(slow);
    }
  }

  // Cells that the sentence names are shown on the board.
  #wrong(sentence) {
    const { position } = this;
    for (const [, row, col] of sentence.matchAll(/\brow (\d+), column (\d+)/g))
      this.conflicts.add(Number(row) * position.cols + Number(col));
    if (this.conflicts.size) this.draw();
    this.page.headline(sentence, "wrong");
    this.answer.hide();
    this.cell.hide();
  }

  // Tells of a hidden cell; of the best one where none is pointed at.
  point(cell) {
    this.pointed = cell;
    if (this.analysis) this.#drawCell();
  }

  #drawCell() {
    const { position, analysis, pointed } = this, { best } = analysis;
    const shown = pointed !== null && position.cells[pointed] < 0 ? pointed
      : best ? best.row * position.cols + best.col : null;
    this.cell.show(position, analysis, shown);
  }

  // A long touch: the finger is where the cell is, so that what it says is above the board.
  #hold(cell) {
    if (!this.analysis || this.position.cells[cell] >= 0) return;
    this.page.board.focus(cell);
    const row = Math.floor(cell / this.position.cols), col = cell % this.position.cols;
    this.page.headline(`(${row}, ${col}): ${this.cell.risk(row, col)}`);
  }

  act(kind, cell) {
    if (kind === "hold") return this.#hold(cell);
    const value = this.position.cells[cell];
    if (kind === "flag" && this.brush === "next") this.#set(cell, this.#turned(value, -1));
    else if (kind === "flag") this.#set(cell, value === FLAG ? HIDDEN : FLAG);
    else if (kind === "open" || kind === "drag") {
      if (this.brush === "next") {
        if (kind === "open") this.#set(cell, this.#turned(value, 1));
      } else this.#set(cell, this.#value(this.brush));
    }
  }

  // Hidden, 0 to 8, flag, and around.
  #turned(value, by) {
    const order = [HIDDEN, 0, 1, 2, 3, 4, 5, 6, 7, 8, FLAG];
    return order[(order.indexOf(value) + by + order.length) % order.length];
  }

  #value(brush) { return brush === "H" ? HIDDEN : brush === "F" ? FLAG : Number(brush); }

  #set(cell, value) {
    if (this.position.cells[cell] !== value) this.#edit(this.position.with(cell, value));
  }

  #sized(changed) {
    const number = (id) => Math.trunc(Number(at(id).value));
    const rows = number("edit-rows"), cols = number("edit-cols");
    let mines = number("edit-mines");
    if (!(rows >= 1 && cols >= 1 && rows <= 128 && cols <= 128)) return this.#wrong("a board has 1 to 128 rows and columns here");
    const { position } = this;
    // Unless they are locked, mines keep their density.
    if (changed !== "edit-mines" && !at("lock").checked)
      mines = Math.round((position.mines / position.cells.length) * rows * cols);
    if (!(mines >= 0 && mines <= rows * cols)) return this.#wrong(`${mines} mines do not fit on ${rows}×${cols}`);
    this.#edit(position.resized(rows, cols, mines));
  }

  #level() {
    const level = this.page.about.levels[at("edit-level").value];
    if (level) this.#edit(new Position(level.rows, level.cols, level.mines));
  }

  do(name) {
    const { position } = this;
    switch (name) {
      case "undo": return this.#undo();
      case "clear": return this.#edit(new Position(position.rows, position.cols, position.mines));
      case "text": return this.page.copy(position.toText(), "The position is copied as text.");
      case "link": {
        const link = `${location.origin}${location.pathname}#analyse=${position.toLink()}`;
        return this.page.copy(link, "The link is copied: it carries the position.");
      }
    }
  }

  onKey(key) {
    const { board } = this.page;
    if (board.move(key)) return true;
    if (/^[0-8hf.]$/.test(key)) this.#set(board.cursor, this.#value(key === "." ? "H" : key.toUpperCase()));
    else if (key === " " || key === "Enter") this.act("open", board.cursor);
    else if (key === "Backspace") this.act("flag", board.cursor);
    else if (key === "u") this.#undo();
    else if (key === "Escape") this.#take(BRUSHES[0][0]);
    else return false;
    return true;
  }

  draw() {
    const { position, analysis, conflicts, page } = this, { board } = page;
    board.resize(position.rows, position.cols);
    const best = analysis?.best ? analysis.best.row * position.cols + analysis.best.col : -1;
    const look = page.odds(analysis, position.cols);
    board.draw((cell) => {
      const value = position.cells[cell];
      const state = value === HIDDEN ? "hidden" : value === FLAG ? "flag" : String(value);
      return { state, ...look(cell), best: cell === best, conflict: conflicts.has(cell) };
    });
    board.element.classList.remove("playing");
    board.element.setAttribute("aria-label", "the position");
    page.legend(analysis !== null);
    page.count(position.mines - position.cells.filter((value) => value === FLAG).length);
    document.querySelector('#edits [data-do="undo"]').disabled = !this.past.length;
    // What the cards say is of the position before, until the server has answered.
    for (const card of [this.answer, this.cell]) card.age(!analysis);
    if (!analysis) return;
    page.headline(this.answer.show(position, analysis));
    this.#drawCell();
  }

  #brushes() {
    this.buttons = BRUSHES.map(([name, text, label]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("role", "radio");
      button.setAttribute("aria-label", `draw ${label}`);
      button.title = { next: "turn hidden, 0 to 8, flag", H: "hidden" }[name] || "";
      button.textContent = text;
      if (name === "F") button.append(sign("flag"));
      if (name === "H") button.append("H");
      button.dataset.brush = name;
      button.addEventListener("click", () => this.#take(name));
      return button;
    });
    at("brushes").replaceChildren(...this.buttons);
    at("brushes").addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const names = BRUSHES.map(([name]) => name);
      this.#take(names[(names.indexOf(this.brush) + by + names.length) % names.length]).focus();
    });
    this.#take(this.brush);
  }

  // Takes a brush; returns its button, which is the one that the tabulator key reaches.
  #take(name) {
    this.brush = name;
    for (const button of this.buttons) {
      const isTaken = button.dataset.brush === name;
      button.setAttribute("aria-checked", isTaken);
      button.tabIndex = isTaken ? 0 : -1;
    }
    return this.buttons.find((button) => button.dataset.brush === name);
  }
}
