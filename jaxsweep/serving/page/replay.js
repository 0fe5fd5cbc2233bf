// Replays: a game from a file of any format, or of one's own, with its grades.

import { Grades } from "./grades.js";
import { Recording } from "./recording.js";
import { Saving } from "./saving.js";
import * as server from "./server.js";

const at = (id) => document.getElementById(id);

export class Replay {
  constructor(page, film) {
    this.page = page;
    this.film = film;
    this.recording = null;
    this.grades = new Grades(page, (when) => film.step(when));
    this.saving = new Saving(page, at("replay-format"));
    at("which-game").addEventListener("change", () => this.load(this.bytes, Number(at("which-game").value)));
  }

  enter() {
    at("replay-save").hidden = at("which").hidden = true;
    if (this.recording) {
      this.film.show(this.recording, this.now || 0);
      this.grades.show(this.recording);
      at("replay-save").hidden = false;
      at("which").hidden = !(this.games > 1);
    } else {
      this.page.board.resize(9, 9);
      this.page.board.draw(() => ({ state: "hidden" }));
      this.page.count("–");
      this.page.headline("Drop a game here, or open one.", "");
    }
  }

  leave() {
    this.film.stop();
    this.now = this.recording ? this.film.now : 0;
  }

  do(name) {
    if (name === "save-replay") return this.saving.save(this.bytes, this.number);
    return this.grades.do(name) || this.film.act(name);
  }

  onKey(key) { return this.film.onKey(key); }

  act() {}

  // Shows a game of a file of `games`, which the server checks, and then grades.
  async load(bytes, number = 1, games = this.games) {
    const found = await server.checkReplay(bytes, number);
    const recording = new Recording({ ...found.replay, survival: found.survival }, this.page.about.reasons);
    Object.assign(this, { bytes, number, games, recording, now: 0 });
    this.page.show("replay");
    at("which-game").replaceChildren(...Array.from({ length: games }, (_, i) => new Option(`game ${i + 1} of ${games}`, i + 1)));
    at("which-game").value = number;
    at("about-replay").textContent = `${recording.title()}: ${found.moves} moves, `
      + (found.problems.length ? "with problems:" : "every move checked, no problems found.");
    at("problems").replaceChildren(...found.problems.slice(0, 20).map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
    await this.#grade();
  }

  async #grade() {
    const { recording } = this;
    this.grades.wait();
    try {
      recording.grade(await server.gradeReplay(this.bytes, this.number));
    } catch (error) {
      if (recording === this.recording) this.grades.fail(error.message);
      return;
    }
    if (recording !== this.recording || this.page.mode !== "replay") return;
    this.grades.show(recording);
    this.film.grown();
  }
}
