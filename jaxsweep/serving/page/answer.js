// What is known of a position: the best move and why, how many layouts are left, and the candidates.

import { at, made } from "./elements.js";

const LISTED = 16;

export class Answer {
  // Of a candidate in the list, `point(cell)` is told when it is pointed at, null when none is, and
  // `go(cell)` when it is chosen.
  constructor({ point, go }) {
    this.point = point;
    this.go = go;
    const cellOf = (event) => event.target.closest?.("tr")?.dataset.candidate;
    const list = at("candidates");
    for (const name of ["pointerover", "focusin"])
      list.addEventListener(name, (event) => {
        const cell = cellOf(event);
        if (cell !== undefined) point(Number(cell));
      });
    list.addEventListener("pointerleave", () => point(null));
    list.addEventListener("focusout", () => point(null));
    list.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (cell !== undefined) go(Number(cell));
    });
  }

  hide() { at("answer-card").hidden = true; }

  age(isOld) { at("answer-card").classList.toggle("old", isOld); }

  // Shows what was found; returns it in a few words.
  show(position, analysis) {
    const { best } = analysis;
    const words = best ? `Open row ${best.row}, column ${best.col}` : "No move";
    at("answer-card").hidden = false;
    at("answer-card").dataset.of = position.toLink();
    at("best").textContent = words;
    at("why").textContent = best ? best.reason : "Nothing is left to open, or nothing is known.";
    at("layouts").textContent = known(analysis);
    this.#list(best?.candidates || [], best?.win_is_exact, position.cols);
    return words;
  }

  #list(candidates, isExact, cols) {
    at("candidates").hidden = !candidates.length;
    at("candidates").firstElementChild.classList.toggle("exact", Boolean(isExact));
    at("win").textContent = isExact ? "win" : "win, about";
    const lines = candidates.slice(0, LISTED).map((one) => {
      const line = made("tr"), place = made("td"), button = made("button", `(${one.row}, ${one.col})`);
      button.type = "button";
      button.className = "to-move";
      place.append(button);
      line.dataset.candidate = one.row * cols + one.col;
      line.append(
        place, bar(one.mine_probability, 2, "of-risk"), bar(one.progress, 0), bar(one.win, 1, "of-win"));
      return line;
    });
    at("candidates").querySelector("tbody").replaceChildren(...lines);
    at("note").textContent = !candidates.length ? "" : isExact
      ? "Wins are exact: all layouts that are left were searched."
      : "Progress: the probability that a cell is certainly safe afterwards.";
  }
}

// A share as a percentage, and where it has a kind, as a bar behind it.
function bar(share, digits, kind = "") {
  const cell = made("td", share === null ? "" : `${(100 * share).toFixed(digits)} %`);
  if (kind && share !== null) {
    cell.className = `bar ${kind}`;
    cell.style.setProperty("--share", `${100 * share}%`);
  }
  return cell;
}

// Layouts that are left and certain cells, in words.
function known({ safe, certain_mines, layouts, log10_layouts, status }) {
  const of = { estimate: "estimated odds", over_capacity: "too many layouts to count" }[status] || status;
  return [
    layouts === null ? of : layoutsInWords(layouts, log10_layouts),
    `${safe.length} certainly safe, ${certain_mines.length} certainly mines`,
  ].join("; ");
}

// Large numbers are named by their power of ten, as everywhere in jaxsweep.
function layoutsInWords(layouts, log10) {
  if (layouts.length > 15) return `about 10^${log10.toFixed(2)} layouts`;
  return `${Number(layouts).toLocaleString("en")} layout${layouts === "1" ? "" : "s"}`;
}
