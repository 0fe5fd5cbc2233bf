// The board on the page: cells that are drawn, clicked, touched, and reached with keys.

import { made } from "./elements.js";
import { neighbours } from "./rules.js";

const SVG = "http://www.w3.org/2000/svg";
const SIGNS = { flag: "flag", wrong: "wrong", mine: "mine", exploded: "mine" };
const LONG_PRESS = 350;
const FAR = 10;
const ZOOM = 1.25;

export function sign(name) {
  const image = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#sign-${name}`);
  image.setAttribute("aria-hidden", "true");
  image.append(use);
  return image;
}

// All that a cell can look like, by the names in a look.
const KEYS = ["state", "odds", "mark", "best", "chosen", "fresh", "conflict", "far"];

const isKnown = (odds) => odds !== undefined && odds !== null;

// 1 to 99 percent: 0 and 100 are for certain cells.
export const wholePercent = (odds) => Math.min(Math.max(Math.round(100 * odds), 1), 99);

// How dark a cell is drawn; shades between leave too little contrast for the number on them.
const isDark = (odds) => wholePercent(odds) >= 50;
const shade = (odds) => (!isDark(odds) ? 50 * odds : 80 + 40 * (odds - 0.5));

function words(look) {
  const { state, odds, mark, best, chosen, conflict } = look;
  const said = [/^\d$/.test(state) ? (state === "0" ? "empty" : state)
    : { flag: "flag", hidden: "hidden", mine: "a mine", exploded: "a mine, opened",
        wrong: "flag, but no mine" }[state]];
  if (mark === "safe") said.push("certainly safe");
  else if (mark === "mine") said.push("certainly a mine");
  else if (isKnown(odds)) said.push(`${wholePercent(odds)} percent a mine`);
  if (best) said.push("best");
  if (chosen) said.push("chosen");
  if (conflict) said.push("impossible");
  return said.join(", ");
}

export class Board {
  // `act(kind, cell)` is told of what a person does: "open", "flag", "chord", "drag", or "hold", a long
  // touch; `point(cell)` of the cell under the mouse or with the focus, null for none.
  constructor(element, act, point) {
    this.element = element;
    this.act = act;
    this.point = point;
    this.rows = this.cols = 0;
    this.tiles = [];
    this.looks = [];
    this.cursor = 0;
    this.flagging = false;
    this.scale = 1;
    this.pointed = null;
    this.#listen();
  }

  resize(rows, cols) {
    if (rows === this.rows && cols === this.cols) return;
    Object.assign(this, { rows, cols, cursor: 0, tiles: [], looks: [], pointed: null });
    this.element.style.setProperty("--rows", rows);
    this.element.style.setProperty("--cols", cols);
    this.element.setAttribute("aria-rowcount", rows);
    this.element.setAttribute("aria-colcount", cols);
    const lines = [];
    for (let r = 0; r < rows; r++) {
      const line = made("div");
      line.setAttribute("role", "row");
      for (let c = 0; c < cols; c++) {
        const tile = made("div");
        tile.className = "cell";
        tile.setAttribute("role", "gridcell");
        tile.tabIndex = r + c === 0 ? 0 : -1;
        tile.dataset.cell = r * cols + c;
        line.append(tile);
        this.tiles.push(tile);
      }
      lines.push(line);
    }
    this.element.replaceChildren(...lines);
  }

  // `look(cell)` says how a cell is drawn: its state, and perhaps odds, a mark, best, chosen, fresh,
  // or conflict, where numbers contradict each other.
  draw(look) {
    const looks = this.tiles.map((_, cell) => look(cell));
    const isOpen = (cell) => /^\d$/.test(looks[cell].state);
    for (let cell = 0; cell < this.tiles.length; cell++) {
      const own = looks[cell];
      // Cells that touch no number are all alike: these percentages stand back.
      own.far = isKnown(own.odds) && !neighbours(cell, this.rows, this.cols).some(isOpen);
      const key = KEYS.map((name) => own[name]).join();
      if (this.looks[cell] !== key) {
        this.#drawCell(this.tiles[cell], cell, own, this.looks[cell] !== undefined);
        this.looks[cell] = key;
      }
    }
  }

  #drawCell(tile, cell, own, isChange) {
    const { state, odds, mark, best, chosen, fresh, conflict, far } = own;
    const hidden = state === "hidden" || state === "flag";
    const known = isKnown(odds);
    const shaded = state === "hidden" && !mark && known;
    const was = tile.dataset.state;
    tile.dataset.state = state;
    tile.classList.toggle("odds", shaded);
    tile.classList.toggle("dark", shaded && isDark(odds));
    tile.classList.toggle("far", shaded && far);
    tile.classList.toggle("is-safe", hidden && mark === "safe");
    tile.classList.toggle("is-mine", state === "hidden" && mark === "mine");
    tile.classList.toggle("best", Boolean(best));
    tile.classList.toggle("chosen", Boolean(chosen));
    tile.classList.toggle("conflict", Boolean(conflict));
    tile.classList.toggle("fresh", Boolean(fresh) && !hidden && state !== "exploded");
    tile.classList.toggle("arrives", isChange && was === "hidden" && !hidden);
    if (shaded) tile.style.setProperty("--share", `${shade(odds)}%`);
    if (SIGNS[state]) tile.replaceChildren(sign(SIGNS[state]));
    else if (hidden && mark) tile.replaceChildren(sign(mark === "safe" ? "safe" : "certain"));
    else if (shaded) tile.textContent = wholePercent(odds);
    else tile.textContent = /^[1-8]$/.test(state) ? state : "";
    const place = `row ${Math.floor(cell / this.cols)}, column ${cell % this.cols}: `;
    tile.setAttribute("aria-label", place + words(own));
    tile.title = known && hidden ? `${(100 * odds).toFixed(2)} % a mine` : "";
  }

  focus(cell) {
    if (!this.tiles[cell]) return;
    this.tiles[this.cursor].tabIndex = -1;
    this.cursor = cell;
    this.tiles[cell].tabIndex = 0;
    this.tiles[cell].focus({ preventScroll: false });
  }

  // Scrolls the board, not the page, so far that a cell is in view.
  reveal(cell) {
    const tile = this.tiles[cell], frame = this.element.parentElement;
    if (!tile) return;
    const inner = tile.getBoundingClientRect(), outer = frame.getBoundingClientRect();
    const room = 1.5 * inner.width;
    frame.scrollBy({
      left: Math.max(inner.right + room - outer.right, 0) + Math.min(inner.left - room - outer.left, 0),
      top: Math.max(inner.bottom + room - outer.bottom, 0) + Math.min(inner.top - room - outer.top, 0),
      behavior: "smooth",
    });
  }

  // Shows which cell something else on the page speaks of; null for none.
  highlight(cell) {
    this.tiles[this.pointed]?.classList.remove("pointed");
    this.tiles[cell]?.classList.add("pointed");
    this.pointed = cell;
  }

  // Moves the cursor by an arrow key, or to the ends of a row; returns whether it was such a key.
  move(key) {
    const { rows, cols } = this, row = Math.floor(this.cursor / cols), col = this.cursor % cols;
    const to = {
      ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1],
      ArrowRight: [row, col + 1], Home: [row, 0], End: [row, cols - 1],
    }[key];
    if (!to) return false;
    const isInside = to[0] >= 0 && to[0] < rows && to[1] >= 0 && to[1] < cols;
    this.focus(isInside ? to[0] * cols + to[1] : this.cursor);
    return true;
  }

  // Larger or smaller cells; what was in the middle stays there. The style sheet has the bounds.
  zoom(isLarger) {
    const frame = this.element.parentElement, width = () => this.tiles[0].getBoundingClientRect().width;
    const before = width(), was = this.scale;
    const middle = (start, length, whole) => (start + length / 2) / whole;
    const x = middle(frame.scrollLeft, frame.clientWidth, frame.scrollWidth);
    const y = middle(frame.scrollTop, frame.clientHeight, frame.scrollHeight);
    this.#rescale(isLarger ? was * ZOOM : was / ZOOM);
    // Beyond a bound nothing changes, and the way back is not to be longer.
    if (Math.abs(width() - before) < 0.01) this.#rescale(was);
    frame.scrollTo({
      left: x * frame.scrollWidth - frame.clientWidth / 2, top: y * frame.scrollHeight - frame.clientHeight / 2,
      behavior: "instant",
    });
  }

  #rescale(scale) {
    this.scale = scale;
    this.element.style.setProperty("--zoom", scale);
  }

  #listen() {
    let press = null;
    const cellAt = (event) => {
      const tile = event.target.closest?.(".cell");
      return tile ? Number(tile.dataset.cell) : null;
    };
    this.element.addEventListener("pointerdown", (event) => {
      const cell = cellAt(event);
      if (cell === null) return;
      press = { cell, x: event.clientX, y: event.clientY, done: false };
      if (event.button === 1) { event.preventDefault(); press.done = true; this.act("chord", cell); }
      if (event.pointerType === "mouse") return;
      const own = press;
      press.timer = setTimeout(() => {
        if (own.done) return;
        own.done = true;
        if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(12);
        this.act("hold", cell);
      }, LONG_PRESS);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (press && Math.hypot(event.clientX - press.x, event.clientY - press.y) > FAR)
        clearTimeout(press.timer);
      if (event.buttons === 1 && event.pointerType === "mouse") {
        const cell = cellAt(event);
        if (!press || press.isOver || press.done || cell === null) return;
        // The first cell is dragged over when the second one is.
        if (cell !== press.cell && !press.drags) this.act("drag", press.cell);
        press.drags ||= cell !== press.cell;
        if (press.drags) this.act("drag", cell);
      }
    });
    this.element.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.point(cellAt(event));
    });
    this.element.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.point(null);
    });
    this.element.addEventListener("focusin", (event) => this.point(cellAt(event)));
    for (const name of ["pointerup", "pointercancel"])
      addEventListener(name, () => {
        if (!press) return;
        clearTimeout(press.timer);
        press.isOver = true;
      });
    this.element.addEventListener("click", (event) => {
      const cell = cellAt(event);
      if (cell === null || press?.done) return;
      this.focus(cell);
      this.act(this.flagging ? "flag" : "open", cell);
    });
    this.element.addEventListener("contextmenu", (event) => {
      const cell = cellAt(event);
      if (cell === null) return;
      event.preventDefault();
      // A long press was told already.
      if (event.pointerType === "touch" || press?.done) return;
      this.focus(cell);
      this.act("flag", cell);
    });
  }
}
