// What every mode shows: the board, the lines above it, and the legend and the buttons for its size below.

import { Board } from "./board.js";
import { at } from "./elements.js";

export class Stage {
  // `act` and `point` are told of what a person does with cells, as `Board` says.
  constructor(act, point) {
    this.board = new Board(at("board"), act, point);
    at("zoom").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.board.zoom(button.id === "larger");
    });
  }

  // `is` says what kind of a sentence it is: "won", "lost", "wrong", or "" for any other.
  headline(text, is = "") {
    at("headline").textContent = text;
    at("headline").dataset.is = is;
  }

  count(left) { at("left").textContent = left; }

  clock(seconds) { at("seconds").textContent = seconds.toFixed(1); }

  legend(shown) { at("legend").classList.toggle("shown", shown); }

  // Keys that do the same in every mode; returns whether it was one.
  onKey(key) {
    if (key !== "+" && key !== "=" && key !== "-") return false;
    this.board.zoom(key !== "-");
    return true;
  }
}
