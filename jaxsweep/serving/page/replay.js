// Replays: a game from a file of any format, or of one's own, with its grades.

import { at, made } from "./elements.js";
import { Grades } from "./grades.js";
import { Recording } from "./recording.js";
import { Saving } from "./saving.js";
import * as server from "./server.js";

// What an example is: a game of the best player with a guess or two.
const EXAMPLE = { level: "expert", seed: 3 };

export class Replay {
  constructor(page, film) {
    this.page = page;
    this.film = film;
    this.recording = null;
    this.grades = new Grades((when) => film.step(when));
    this.saving = new Saving(page, at("replay-format"));
    at("which-game").addEventListener("change", () =>
      this.load(this.bytes, Number(at("which-game").value)).catch((error) => page.headline(error.message, "wrong")));
  }

  enter() {
    const isEmpty = !this.recording;
    document.body.classList.toggle("empty", isEmpty);
    at("film").hidden = at("replay-save").hidden = at("replay-open").hidden = isEmpty;
    at("invitation").hidden = !isEmpty;
    at("which").hidden = !(this.games > 1);
    if (isEmpty) return;
    this.film.show(this.recording, this.now || 0);
    this.grades.show(this.recording);
  }

  leave() {
    document.body.classList.remove("empty");
    this.film.stop();
    this.now = this.recording ? this.film.now : 0;
  }

  do(name) {
    if (name === "save-replay") return this.saving.save(this.bytes, this.number);
    if (name === "example") return this.#example();
    return this.grades.do(name) || this.film.act(name);
  }

  onKey(key) { return this.film.onKey(key); }

  act() {}

  moved(now) { this.grades.mark(now); }

  // Has the best player play a game, to be graded.
  async #example() {
    const recordings = [];
    this.page.headline("The player thinks…");
    try {
      await server.watch({ ...EXAMPLE, player: this.page.about.best }, (name, data) => {
        if (name === "game") recordings.push(new Recording(data, this.page.about.reasons));
        else if (name === "move") recordings[0].add(data);
        else if (name === "end") recordings[0].end(data.outcome);
        else throw new server.Refused(data.error);
      });
      await this.grade(recordings[0].toReplay());
    } catch (error) {
      this.page.headline(error.message, "wrong");
    }
  }

  // Shows a game that is no file yet.
  async grade(replay) {
    try {
      await this.load(new TextEncoder().encode(JSON.stringify(replay)).buffer, 1, 1);
    } catch (error) {
      this.page.headline(error.message, "wrong");
    }
  }

  // Shows a game of a file of `games`, which the server checks, and then grades.
  async load(bytes, number = 1, games = this.games) {
    const loading = (this.loading = {});
    const found = await server.checkReplay(bytes, number);
    if (loading !== this.loading) return;
    const recording = new Recording({ ...found.replay, survival: found.survival }, this.page.about.reasons);
    Object.assign(this, { bytes, number, games, recording, now: 0 });
    this.page.show("replay");
    at("which-game").replaceChildren(...Array.from({ length: games }, (_, i) => new Option(`game ${i + 1} of ${games}`, i + 1)));
    at("which-game").value = number;
    this.found = found;
    this.#say();
    at("problems").replaceChildren(...found.problems.slice(0, 20).map((text) => made("li", text)));
    await this.#grade();
  }

  #say() {
    const { moves, problems } = this.found;
    at("about-replay").textContent = `${this.recording.title()}: ${moves} moves, `
      + (problems.length ? "with problems:" : "every move checked, no problems found.");
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
    this.#say();
    this.film.grown();
  }
}
