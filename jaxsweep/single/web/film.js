// Watching and replays: stepping through a recording, with its timeline.

import { at, listFacts } from "./elements.js";
import { Timeline } from "./timeline.js";

const percent = (share) => (share === null ? "not known" : `${(100 * share).toFixed(1)}\u00a0%`);

export class Film {
  // `moved(now)` is told of every step.
  constructor(stage, moved) {
    this.stage = stage;
    this.moved = moved;
    this.recording = null;
    this.now = 0;
    this.timer = null;
    this.withOdds = true;
    this.timeline = new Timeline(at("timeline"), (when) => this.step(when));
  }

  show(recording, now = 0) {
    this.stop();
    this.recording = recording;
    this.now = now;
    this.timeline.draw(this.recording);
    this.draw();
  }

  // More of a game that is being played has arrived.
  grown() {
    this.timeline.draw(this.recording);
    this.draw();
  }

  go(when) {
    const last = this.recording.moves.length;
    this.now = Math.min(Math.max(when, 0), last);
    if (this.now === last && this.recording.isComplete) this.stop();
    this.draw();
  }

  step(when) {
    if (!this.recording) return;
    this.stop();
    this.go(when);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  run() {
    if (!this.recording) return;
    if (this.timer !== null) this.stop();
    else {
      if (this.recording.isComplete && this.now === this.recording.moves.length) this.now = 0;
      this.#tick();
    }
    this.draw();
  }

  #tick() {
    // Odds are looked at a little longer.
    const pause = this.withOdds && this.recording.oddsAt(this.now) ? 2.5 : 1;
    this.timer = setTimeout(() => {
      this.#tick();
      this.go(this.now + 1);
    }, (pause * 1000) / Number(at("speed").value));
  }

  act(name) {
    if (!this.recording) return;
    switch (name) {
      case "first": return this.step(0);
      case "back": return this.step(this.now - 1);
      case "next": return this.step(this.now + 1);
      case "last": return this.step(this.recording.moves.length);
      case "run": return this.run();
      case "guess": {
        const next = this.recording.nextGuess(this.now);
        return next < 0 ? undefined : this.step(next);
      }
      case "odds": this.withOdds = !this.withOdds; return this.draw();
    }
  }

  onKey(key) {
    const name = {
      ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "run", o: "odds", g: "guess",
    }[key];
    if (!name || !this.recording) return false;
    this.act(name);
    return true;
  }

  draw() {
    const { recording, now } = this, move = recording.moves[now - 1], coming = recording.moves[now];
    const odds = this.withOdds ? recording.oddsAt(now) : null;
    const chosen = new Set(odds ? coming.cells : []);
    const { board } = this.stage;
    board.resize(recording.rows, recording.cols);
    board.draw((cell) => ({
      state: recording.stateOf(cell, now),
      odds: odds ? odds[cell] : null,
      mark: odds && odds[cell] === 0 ? "safe" : odds && odds[cell] === 1 ? "mine" : null,
      chosen: chosen.has(cell),
      fresh: recording.openedAt[cell] === now,
    }));
    if (chosen.size) board.reveal([...chosen][0]);
    board.element.setAttribute("aria-label", `the board after ${now} of ${recording.moves.length} moves`);
    this.stage.legend(odds !== null);
    const over = recording.isOverAt(now), won = over && recording.outcome === "won";
    this.stage.count(won ? 0 : recording.game.mines - recording.flagsAt(now));
    this.stage.headline(
      over ? `${recording.outcomeInWords} · ${recording.title()}` : recording.title(),
      over ? recording.outcome : "",
    );
    this.timeline.show(now);
    at("timeline").setAttribute("aria-valuetext", `move ${now}`);
    this.#drawFacts(move, coming);
    this.moved(now);
    const atEnd = !coming;
    for (const [name, disabled] of [
      ["first", now === 0], ["back", now === 0], ["next", atEnd], ["last", atEnd],
      ["guess", recording.nextGuess(now) < 0],
    ]) document.querySelector(`#film [data-do="${name}"]`).disabled = disabled;
    at("guess").hidden = recording.isComplete && !recording.moves.some((one) => recording.isGuess(one));
    at("film-odds").hidden = recording.isComplete && !recording.moves.some((one) => one.odds);
    at("run").textContent = this.timer === null ? "Play" : "Pause";
    at("film-odds").setAttribute("aria-pressed", this.withOdds);
  }

  #drawFacts(move, coming) {
    const { recording, now } = this;
    at("moves-card").hidden = false;
    at("move").textContent = now;
    at("moves").textContent = recording.moves.length + (recording.isComplete ? "" : "…");
    at("reason").textContent = move ? recording.sentence(move) : "All cells are hidden.";
    at("coming").textContent = coming ? `Next: ${recording.announcement(coming)}.`
      : recording.isComplete ? "" : "The player thinks…";
    const { graded } = recording;
    at("curve-key").textContent = graded ? "chance to win" : "survived so far";
    at("loss-key").hidden = !graded;
    at("fatal-key").hidden = recording.outcome !== "lost";
    const facts = {
      Risk: move ? percent(recording.riskOf(move)) : "–",
      [graded ? "Chance to win" : "Survived so far"]: percent(recording.curve[now]),
      Guesses: `${recording.guessesUpTo(now)} of ${recording.guessesUpTo(recording.moves.length)}`,
    };
    listFacts(at("facts"), facts);
  }
}
