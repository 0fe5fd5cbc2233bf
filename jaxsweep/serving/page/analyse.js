// Analysing: a position that is drawn, pasted, dropped or carried by a link, and what is known of it.

import { sign } from "./board.js";
import { CellCard } from "./cell.js";
import { FLAG, HIDDEN, Position, fromLink } from "./position.js";
import * as server from "./server.js";

const at = (id) => document.getElementById(id);
const PAUSE = 90;
const LISTED = 16;
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
    this.pointed = null;
    this.cell = new CellCard();
    this.#brushes();
    for (const id of ["edit-rows", "edit-cols", "edit-mines"])
      at(id).addEventListener("change", () => this.#sized(id));
    at("edit-level").addEventListener("change", () => this.#level());
  }

  enter() { this.show(this.position); }

  leave() { this.pending?.abort(); }

  show(position) {
    const isSame = position === this.position && this.analysis;
    if (position.cells.length !== this.position.cells.length) this.pointed = null;
    this.position = position;
    at("edit-rows").value = position.rows;
    at("edit-cols").value = position.cols;
    at("edit-mines").value = position.mines;
    const named = Object.entries(this.page.about.levels).find(([, level]) =>
      ["rows", "cols", "mines"].every((name) => level[name] === position[name]));
    at("edit-level").value = named ? named[0] : "custom";
    if (isSame) return this.draw();
    this.analysis = null;
    this.draw();
    this.page.remember(`analyse=${position.toLink()}`);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), PAUSE);
  }

  async #ask() {
    this.pending?.abort();
    const pending = (this.pending = new AbortController()), { position } = this;
    try {
      const found = await server.analyze(position.toJson(), pending.signal);
      if (position !== this.position) return;
      this.analysis = found;
      this.draw();
      if (found.best) this.page.board.reveal(found.best.row * position.cols + found.best.col);
    } catch (error) {
      if (error.name === "AbortError" || position !== this.position) return;
      this.#wrong(error.message);
    }
  }

  #wrong(sentence) {
    this.page.headline(sentence, "wrong");
    at("answer-card").hidden = at("cell-card").hidden = true;
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
    this.page.headline(`(${row}, ${col}): ${this.cell.risk(row, col)}`, "");
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
    if (this.position.cells[cell] !== value) this.show(this.position.with(cell, value));
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
    this.show(position.resized(rows, cols, mines));
  }

  #level() {
    const level = this.page.about.levels[at("edit-level").value];
    if (level) this.show(new Position(level.rows, level.cols, level.mines));
  }

  do(name) {
    const { position } = this;
    switch (name) {
      case "clear": return this.show(new Position(position.rows, position.cols, position.mines));
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
    else return false;
    return true;
  }

  draw() {
    const { position, analysis, page } = this, { board } = page;
    board.resize(position.rows, position.cols);
    const best = analysis?.best ? analysis.best.row * position.cols + analysis.best.col : -1;
    const look = page.odds(analysis, position.cols);
    board.draw((cell) => {
      const value = position.cells[cell];
      const state = value === HIDDEN ? "hidden" : value === FLAG ? "flag" : String(value);
      return { state, ...look(cell), best: cell === best };
    });
    board.element.classList.remove("playing");
    board.element.setAttribute("aria-label", "the position");
    page.legend(analysis !== null);
    page.count(position.mines - position.cells.filter((value) => value === FLAG).length);
    if (!analysis) return;
    this.#drawAnswer();
    this.#drawCell();
  }

  #drawAnswer() {
    const { analysis, page } = this, { best } = analysis;
    const safe = analysis.safe.length, mines = analysis.certain_mines.length;
    const where = best && `row ${best.row}, column ${best.col}`;
    page.headline(best ? `Open ${where}` : "Nothing to open", "");
    at("answer-card").hidden = false;
    at("answer-card").dataset.of = this.position.toLink();
    at("best").textContent = best ? `Open ${where}` : "No move";
    at("why").textContent = best ? best.reason : "Nothing is left to open, or nothing is known.";
    const parts = [`${safe} certainly safe, ${mines} certainly mines`];
    if (analysis.layouts !== null) parts.unshift(layoutsInWords(analysis));
    else parts.unshift({ estimate: "estimated odds", over_capacity: "too many layouts to count" }[analysis.status] || analysis.status);
    at("layouts").textContent = parts.join("; ");
    this.#drawCandidates(best?.candidates || [], best?.win_is_exact);
  }

  #drawCandidates(candidates, isExact) {
    at("candidates").hidden = !candidates.length;
    at("candidates").firstElementChild.classList.toggle("exact", Boolean(isExact));
    at("win").textContent = isExact ? "win" : "win, about";
    const percent = (share, digits) => (share === null ? "" : `${(100 * share).toFixed(digits)} %`);
    const rows = candidates.slice(0, LISTED).map((one) => {
      const line = document.createElement("tr");
      for (const text of [
        `(${one.row}, ${one.col})`, percent(one.mine_probability, 2), percent(one.progress, 0), percent(one.win, 1),
      ]) {
        const cell = document.createElement("td");
        cell.textContent = text;
        line.append(cell);
      }
      return line;
    });
    at("candidates").querySelector("tbody").replaceChildren(...rows);
    at("note").textContent = !candidates.length ? "" : isExact
      ? "Wins are exact: all layouts that are left were searched."
      : "Progress: the probability that a cell is certainly safe afterwards.";
  }

  #brushes() {
    const buttons = BRUSHES.map(([name, text, label]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("role", "radio");
      button.setAttribute("aria-checked", name === this.brush);
      button.setAttribute("aria-label", `draw ${label}`);
      button.textContent = text;
      if (name === "F") button.append(sign("flag"));
      if (name === "H") button.append("H");
      button.addEventListener("click", () => {
        this.brush = name;
        for (const one of buttons) one.setAttribute("aria-checked", one === button);
      });
      return button;
    });
    at("brushes").replaceChildren(...buttons);
  }
}

// Large numbers are named by their power of ten, as everywhere in jaxsweep.
function layoutsInWords({ layouts, log10_layouts }) {
  if (layouts.length > 15) return `about 10^${log10_layouts.toFixed(2)} layouts`;
  return `${Number(layouts).toLocaleString("en")} layout${layouts === "1" ? "" : "s"}`;
}
