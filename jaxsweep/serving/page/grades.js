// The grades of a replay: totals, turning points, and a table of moves, each of which leads to its move.

const at = (id) => document.getElementById(id);
const MISTAKE = 0.01, SHOWN = 0.0005;
const percent = (share) => (share === null ? "?" : `${(100 * share).toFixed(1)}`);
const ifAny = (share, sign) => (Math.abs(share) < SHOWN ? "" : sign + percent(share));

export class Grades {
  // `go(when)` shows the board after so many moves.
  constructor(page, go) {
    this.page = page;
    this.go = go;
    this.all = false;
    this.recording = null;
  }

  wait() { this.#say("Looking at every move…"); }

  fail(sentence) { this.#say(sentence); }

  #say(sentence) {
    at("grade-card").hidden = false;
    at("grade-body").hidden = true;
    at("totals").replaceChildren(this.#paragraph(sentence));
  }

  show(recording) {
    this.recording = recording;
    const { graded } = recording;
    at("grade-card").hidden = !graded;
    at("grade-body").hidden = !graded;
    if (!graded) return;
    at("totals").replaceChildren(...graded.totals.map((text) => this.#paragraph(text)));
    this.#metrics(graded.metrics);
    const turns = graded.moves.filter((one) => graded.turning_points.includes(one.index));
    at("turns").replaceChildren(...turns.map((one) => {
      const item = document.createElement("li");
      item.append(this.#leadingTo(one, one.text));
      return item;
    }));
    at("turning").hidden = !turns.length;
    this.#table();
  }

  do(name) {
    if (name !== "all-moves") return false;
    this.all = !this.all;
    this.#table();
    return true;
  }

  #metrics({ bbbv, bbbv_solved, clicks, efficiency, zini }) {
    const facts = { "3BV": bbbv_solved === bbbv ? bbbv : `${bbbv_solved} of ${bbbv}`, Clicks: clicks };
    if (efficiency !== null) facts.Efficiency = efficiency.toFixed(2);
    this.page.list(at("grade-metrics"), { ...facts, ZiNi: zini });
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
    const line = document.createElement("tr"), cells = one.chord ? [one.chord] : one.cells;
    const place = `(${cells[0].join(", ")})` + (cells.length > 1 ? ` +${cells.length - 1}` : "");
    const number = document.createElement("td");
    number.append(this.#leadingTo(one, one.index));
    const texts = [
      (one.chord ? "chord " : "") + place, one.kind, percent(one.risk), percent(one.least_risk),
      percent(one.win_before), ifAny(one.loss, "−"), ifAny(one.luck, one.luck > 0 ? "+" : "").replace("-", "−"),
      percent(one.win_after),
    ];
    line.append(number, ...texts.map((text) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      return cell;
    }));
    line.dataset.kind = one.kind;
    line.classList.toggle("mistake", one.loss >= MISTAKE);
    line.title = one.text;
    return line;
  }

  // A button to where the move has just been made.
  #leadingTo(one, text) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "to-move";
    button.textContent = text;
    if (typeof text === "number") button.setAttribute("aria-label", `to move ${text}`);
    button.addEventListener("click", () => this.go(one.index));
    return button;
  }

  #paragraph(text) {
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    return paragraph;
  }
}
