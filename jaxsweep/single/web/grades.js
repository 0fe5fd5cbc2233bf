// The grades of a replay: totals, turning points, and a table of moves, each of which leads to its move.

import { at, listFacts, made } from "./elements.js";

const MISTAKE = 0.01, SHOWN = 0.0005;
const percent = (share) => (share === null ? "?" : `${(100 * share).toFixed(1)}`);
// With its sign, and nothing where it is 0 when rounded.
const signed = (share) =>
  (Math.abs(share) < SHOWN ? "" : (share > 0 ? "+" : "−") + percent(Math.abs(share)));

export class Grades {
  // `go(when)` shows the board after so many moves.
  constructor(go) {
    this.go = go;
    this.all = false;
    this.recording = null;
  }

  wait() { this.#say("Looking at every move…"); }

  fail(sentence) { this.#say(sentence); }

  #say(sentence) {
    at("grade-card").hidden = false;
    at("grade-body").hidden = true;
    at("totals").replaceChildren(made("p", sentence));
  }

  show(recording) {
    this.recording = recording;
    const { graded } = recording;
    at("grade-card").hidden = !graded;
    at("grade-body").hidden = !graded;
    if (!graded) return;
    at("totals").replaceChildren(...graded.totals.map((text) => made("p", text)));
    this.#metrics(graded.metrics);
    const turns = graded.moves.filter((one) => graded.turning_points.includes(one.index));
    at("turns").replaceChildren(...turns.map((one) => {
      const item = made("li");
      item.append(this.#leadingTo(one, one.text));
      return item;
    }));
    at("turning").hidden = !turns.length;
    this.#table();
  }

  // Marks the move that was made last.
  mark(now) {
    for (const line of at("graded-moves").querySelectorAll("tbody tr"))
      line.classList.toggle("now", Number(line.dataset.move) === now);
  }

  do(name) {
    if (name !== "all-moves") return false;
    this.all = !this.all;
    this.#table();
    return true;
  }

  #metrics({ bbbv, solved, clicks, efficiency, zini }) {
    const facts = { "3BV": solved === bbbv ? bbbv : `${solved} of ${bbbv}`, Clicks: clicks };
    if (efficiency !== null) facts.Efficiency = efficiency.toFixed(2);
    listFacts(at("grade-metrics"), { ...facts, ZiNi: zini });
  }

  #table() {
    const { moves } = this.recording.graded, listed = moves.filter((one) => this.all || one.matters);
    at("graded-moves").querySelector("tbody").replaceChildren(...listed.map((one) => this.#line(one)));
    at("graded-moves").hidden = !listed.length;
    const toggle = document.querySelector('[data-do="all-moves"]'), others = moves.length - listed.length;
    toggle.hidden = !this.all && !others;
    toggle.textContent = this.all ? "Only moves that matter" : `${others} other move${others === 1 ? "" : "s"}`;
    toggle.setAttribute("aria-pressed", this.all);
  }

  #line(one) {
    const line = made("tr"), cells = one.chord ? [one.chord] : one.cells;
    const where = made("td", `(${cells[0].join(", ")})` + (cells.length > 1 ? ` +${cells.length - 1}` : ""));
    where.append(made("small", one.kind + (one.chord ? " chord" : "")));
    const number = made("td");
    number.append(this.#leadingTo(one, one.index));
    const texts = [
      percent(one.risk), percent(one.least_risk), signed(-one.loss), signed(one.luck),
    ];
    line.append(number, where, ...texts.map((text) => made("td", text)));
    line.dataset.move = one.index;
    line.classList.toggle("mistake", one.loss >= MISTAKE);
    line.classList.toggle("lucky", one.luck > SHOWN);
    line.title = one.text;
    line.addEventListener("click", () => this.go(one.index));
    return line;
  }

  // A button to where the move has just been made.
  #leadingTo(one, text) {
    const button = made("button", text);
    button.type = "button";
    button.className = "to-move";
    if (typeof text === "number") button.setAttribute("aria-label", `to move ${text}`);
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      this.go(one.index);
    });
    return button;
  }
}
