// What is known of one hidden cell: its risk, its chance to win, and what it would show.

import { at, made } from "./elements.js";
import * as server from "./server.js";

const PAUSE = 60;
const percent = (share) => `${(100 * share).toFixed(share >= 0.0995 ? 0 : 1)}`;

export class CellCard {
  constructor() {
    this.known = new Map();
    this.position = null;
  }

  hide() { at("cell-card").hidden = true; }

  age(isOld) { at("cell-card").classList.toggle("old", isOld); }

  // Shows a cell of a position that was analysed; null shows none.
  show(position, analysis, cell) {
    if (position !== this.position) {
      this.position = position;
      this.known.clear();
    }
    at("cell-card").hidden = cell === null;
    if (cell === this.cell && this.analysis === analysis) return;
    Object.assign(this, { cell, analysis });
    clearTimeout(this.timer);
    this.pending?.abort();
    if (cell === null) return;
    const row = Math.floor(cell / position.cols), col = cell % position.cols;
    at("cell-name").textContent = `Row ${row}, column ${col}`;
    at("cell-risk").textContent = this.risk(row, col);
    at("cell-card").dataset.of = "";
    if (this.known.has(cell)) this.#draw(this.known.get(cell));
    else this.timer = setTimeout(() => this.#ask(), PAUSE);
  }

  risk(row, col) {
    const { analysis } = this, risk = analysis.mine_probability[row][col];
    const has = (cells) => cells.some(([r, c]) => r === row && c === col);
    if (has(analysis.safe)) return "Certainly safe.";
    if (has(analysis.certain_mines)) return "Certainly a mine.";
    if (risk === null) return "Its risk is not known.";
    const candidate = analysis.best?.candidates?.find((one) => one.row === row && one.col === col);
    const about = analysis.best?.win_is_exact ? "" : "about ";
    const win = candidate && candidate.win !== null ? `; opening it wins ${about}${(100 * candidate.win).toFixed(1)}\u00a0%` : "";
    return `${(100 * risk).toFixed(2)}\u00a0% a mine${win}.`;
  }

  async #ask() {
    const { position, cell } = this, pending = (this.pending = new AbortController());
    try {
      const found = await server.numbersOf(position, cell, pending.signal);
      if (position !== this.position) return;
      this.known.set(cell, found);
      if (cell === this.cell) this.#draw(found);
    } catch (error) {
      if (error.name !== "AbortError") at("cell-risk").textContent = error.message;
    }
  }

  #draw({ row, col, numbers, mine_probability: risk }) {
    at("numbers").hidden = numbers === null;
    at("cell-card").dataset.of = `${row},${col}`;
    if (numbers === null) return;
    const columns = [...numbers.map((share, number) => [String(number), share]), ["mine", risk ?? 0]];
    // The largest bar is as high as there is room.
    const largest = Math.max(...columns.map(([, share]) => share));
    at("numbers").replaceChildren(...columns.map(([name, share]) => {
      const item = made("li"), bar = made("i"), label = made("b", name === "mine" ? "✕" : name);
      const text = made("span", share < 0.0005 ? (share > 0 ? "<0.1" : "–") : percent(share));
      bar.style.setProperty("--share", share / largest);
      item.dataset.number = name;
      item.title = `${name === "mine" ? "a mine" : `shows ${name}`}: ${(100 * share).toFixed(2)} %`;
      item.setAttribute("aria-label", item.title);
      item.append(text, bar, label);
      return item;
    }));
  }
}
