// Watching: a player's game, shown as it is played.

import { at } from "./elements.js";
import { Recording } from "./recording.js";
import * as server from "./server.js";

export class Watch {
  constructor(page, film) {
    this.page = page;
    this.film = film;
    this.recording = null;
  }

  enter() {
    if (this.recording) this.film.show(this.recording, this.now || 0);
    else this.#start();
  }

  leave() {
    this.film.stop();
    this.now = this.film.now;
  }

  do(name) {
    if (name === "watch") this.#start();
    else if (name === "grade") this.page.grade(this.recording.toReplay());
    else this.film.act(name);
  }

  onKey(key) { return key === "r" ? (this.#start(), true) : this.film.onKey(key); }

  act() {}

  async #start() {
    this.pending?.abort();
    const pending = (this.pending = new AbortController());
    const query = { player: at("watch-player").value, level: at("watch-level").value, start: at("watch-start").value };
    if (at("watch-seed").value !== "") query.seed = at("watch-seed").value;
    this.film.stop();
    // The board has its size at once: nothing below is to move when the first move comes.
    const { rows, cols } = this.page.about.levels[query.level];
    this.page.board.resize(rows, cols);
    this.page.board.draw(() => ({ state: "hidden" }));
    at("watch-grade").disabled = true;
    this.page.headline("The player thinks…");
    try {
      await server.watch(query, (name, data) => this.#take(name, data), pending.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      // The moves that were seen are a game without an end.
      if (this.recording && !this.recording.isComplete) this.#take("end", { outcome: "playing" });
      if (this.page.mode !== "watch") return;
      this.film.stop();
      this.page.headline(error.message, "wrong");
    }
  }

  #take(name, data) {
    const isShown = this.page.mode === "watch";
    if (name === "game") {
      this.recording = new Recording(data, this.page.about.reasons);
      this.now = 0;
      if (isShown) {
        this.film.show(this.recording);
        this.film.run();
      }
    } else if (name === "move") this.recording.add(data);
    else if (name === "end") this.recording.end(data.outcome);
    else throw new server.Refused(data.error);
    at("watch-grade").disabled = !this.recording?.isComplete;
    if (isShown && (name === "move" || name === "end")) this.film.grown();
  }
}
