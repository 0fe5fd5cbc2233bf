// Playing: a person's game, with hints, odds, undo, and what it was worth at the end.

import { at, listFacts } from "./elements.js";
import { Game, threeBV } from "./rules.js";
import { Saving } from "./saving.js";
import * as server from "./server.js";

export class Play {
  constructor(page) {
    this.page = page;
    this.withOdds = false;
    this.analysis = null;
    this.hint = null;
    this.saving = new Saving(page, at("play-format"));
    for (const id of ["play-level", "play-start", "play-rows", "play-cols", "play-mines", "play-no-guess", "play-wish"])
      at(id).addEventListener("change", () => this.newGame());
    setInterval(() => this.#tick(), 100);
  }

  settings() {
    const name = at("play-level").value, named = this.page.about.levels[name];
    at("play-sizes").hidden = Boolean(named);
    at("play-wishes").hidden = !at("play-no-guess").checked;
    const number = (id) => Math.trunc(Number(at(id).value));
    const size = named || { rows: number("play-rows"), cols: number("play-cols"), mines: number("play-mines") };
    return { ...size, start: at("play-start").value };
  }

  // What a board must be like that needs no guess; null for any deal.
  wishes() {
    if (!at("play-no-guess").checked) return null;
    const wish = at("play-wish").value;
    if (!wish) return {};
    return this.page.about.difficulties.includes(wish) ? { difficulty: wish } : { max_rule: wish };
  }

  newGame() {
    const settings = this.settings();
    const { rows, cols, mines } = settings;
    const fits = rows >= 1 && cols >= 1 && rows <= 128 && cols <= 128 && mines >= 0 && mines <= rows * cols;
    if (!fits) {
      this.page.headline(`${rows}×${cols} with ${mines} mines: that does not fit`, "wrong");
      // The game before goes on; at first there is none.
      if (this.game) return;
      Object.assign(settings, this.page.about.levels.beginner);
    }
    this.dealing?.abort();
    this.dealing = null;
    this.game = new Game(settings);
    this.game.wishes = this.wishes();
    this.began = null;
    this.seconds = 0;
    this.#changed();
    if (fits) this.page.headline(
      { any: "Any cell may be a mine.", safe: "The first cell is never a mine.",
        zero: "The first cell always shows 0." }[settings.start]
        + (this.game.wishes ? " Then no guess is needed." : ""));
  }

  enter() {
    if (!this.game) return this.newGame();
    this.#changed();
  }

  leave() {
    this.page.board.flagging = false;
    this.pending?.abort();
  }

  // The seconds on the clock, kept to milliseconds as replays are.
  #now() {
    if (this.began !== null && !this.game.isOver) this.seconds = (performance.now() - this.began) / 1000;
    return Math.round(this.seconds * 1000) / 1000;
  }

  #tick() {
    if (!this.game || this.game.isOver || this.page.mode !== "play") return;
    this.page.clock(this.#now());
  }

  async act(kind, cell) {
    const { game } = this;
    if (this.dealing || game.isOver) return;
    if (kind === "drag") return;
    if (kind === "hold") kind = "flag";
    if (kind === "flag" && !game.opened.has(cell)) {
      if (game.flag(cell, this.#now())) this.#changed();
      return;
    }
    if (!game.dealt) {
      if (kind === "open" && !game.flags.has(cell)) await this.#deal(cell);
      return;
    }
    const now = this.#now();
    const done = game.opened.has(cell) ? game.chord(cell, now) : kind === "open" && game.open(cell, now);
    if (done) this.#changed();
  }

  async #deal(cell) {
    const { game } = this, { rows, cols, mines, start, wishes } = game;
    const dealing = (this.dealing = new AbortController());
    try {
      const seed = new URLSearchParams(location.search).get("seed");
      const query = { rows, cols, mines, start, row: Math.floor(cell / cols), col: cell % cols };
      if (seed !== null) query.seed = Number(seed);
      this.page.headline(wishes ? "Looking for a board that needs no guess…" : "");
      if (wishes) {
        const found = await server.makeBoard({ ...query, ...wishes, repair: "if-rare" }, dealing.signal);
        game.take(found.dealt);
        game.board = found.board;
      } else game.take(await server.deal(query, dealing.signal));
      this.began = performance.now();
      game.open(cell, 0);
      this.#say(wishes ? "No guess is needed." : "");
      this.#changed();
    } catch (error) {
      if (error.name !== "AbortError") this.#say(error.message, "wrong");
    } finally {
      if (this.dealing === dealing) this.dealing = null;
    }
  }

  // Only where the game is still looked at.
  #say(text, is) {
    if (this.page.mode === "play") this.page.headline(text, is);
  }

  #changed() {
    this.analysis = this.hint = null;
    if (this.page.mode !== "play") return;
    this.draw();
    if (this.game.isOver) this.#over();
    else {
      at("result-card").hidden = true;
      if (this.withOdds && this.game.dealt) this.#analyse();
    }
  }

  async #analyse() {
    this.pending?.abort();
    const pending = (this.pending = new AbortController());
    const { game } = this, moves = game.moves;
    try {
      const found = await server.analyze(game.position().toJson(), pending.signal);
      if (game === this.game && moves === game.moves) {
        this.analysis = found;
        this.draw();
      }
      return found;
    } catch (error) {
      if (error.name !== "AbortError") this.#say(error.message, "wrong");
      return null;
    }
  }

  async help() {
    const { game } = this;
    if (game.isOver) return;
    if (!game.dealt) {
      this.page.headline("Open any cell to begin; a corner is best, away from the border for a zero.");
      return;
    }
    game.helped = true;
    const found = this.analysis || (await this.#analyse());
    if (!found?.best || game !== this.game) return;
    this.hint = found.best.row * game.cols + found.best.col;
    this.page.headline(`Row ${found.best.row}, column ${found.best.col}: ${found.best.reason}`);
    this.draw();
    this.page.board.reveal(this.hint);
  }

  do(name) {
    switch (name) {
      case "new": return this.newGame();
      case "hint": return this.help();
      case "undo": {
        if (this.game.undo()) {
          if (!this.game.isOver) this.began = performance.now() - 1000 * this.seconds;
          this.page.headline("One move back.");
          this.#changed();
        }
        return;
      }
      case "odds": {
        this.withOdds = !this.withOdds;
        if (this.withOdds) this.game.helped = true;
        this.#changed();
        return;
      }
      case "flags": {
        this.page.board.flagging = !this.page.board.flagging;
        return this.draw();
      }
      case "grade": return this.page.grade(this.game.toReplay(this.#now()));
      case "save": return this.saving.save(this.game.toReplay(this.#now()));
    }
  }

  onKey(key) {
    const { board } = this.page;
    if (board.move(key)) return true;
    const name = { h: "hint", o: "odds", u: "undo", r: "new" }[key];
    if (name) this.do(name);
    else if (key === " " || key === "Enter") this.act("open", board.cursor);
    else if (key === "f") this.act("flag", board.cursor);
    else if (key === "Escape" && board.flagging) this.do("flags");
    else return false;
    return true;
  }

  #state(cell) {
    const { game } = this;
    if (!game.dealt) return game.flags.has(cell) ? "flag" : "hidden";
    const mine = game.numbers[cell] === null;
    if (game.opened.has(cell)) return mine ? "exploded" : String(game.numbers[cell]);
    if (game.flags.has(cell)) return game.isOver && !mine ? "wrong" : "flag";
    if (game.isOver && mine) return game.status === "won" ? "flag" : "mine";
    return "hidden";
  }

  draw() {
    const { game, page } = this, { board } = page;
    board.resize(game.rows, game.cols);
    const fresh = new Set(game.isOver ? [] : game.moves.at(-1)?.opened);
    const look = page.odds(this.withOdds && !game.isOver ? this.analysis : null, game.cols);
    board.draw((cell) => ({
      state: this.#state(cell), ...look(cell), best: cell === this.hint, fresh: fresh.size < 9 && fresh.has(cell),
    }));
    board.element.classList.toggle("playing", !game.isOver);
    board.element.setAttribute("aria-label", `the board, ${game.status}`);
    page.legend(this.withOdds && Boolean(this.analysis));
    page.count(game.status === "won" ? 0 : game.mines - game.flags.size);
    page.clock(this.#now());
    const press = (name, is) =>
      document.querySelector(`#play-tools [data-do="${name}"]`).setAttribute("aria-pressed", is);
    press("odds", this.withOdds);
    press("flags", board.flagging);
    document.querySelector('#play-tools [data-do="undo"]').disabled = !game.past.length;
    document.querySelector('#play-tools [data-do="hint"]').disabled = game.isOver;
  }

  #over() {
    const { game, page } = this, seconds = this.#now();
    const needed = threeBV(game, game.numbers);
    page.headline(
      game.status === "won" ? `Won in ${seconds.toFixed(1)} s${game.helped ? ", with help" : ""}.`
        : `A mine, after ${seconds.toFixed(1)} s. Undo takes it back.`,
      game.status);
    const facts = { Time: `${seconds.toFixed(3)} s`, "3BV": needed, Clicks: game.clicks };
    if (game.status === "won") {
      facts["3BV/s"] = (needed / Math.max(seconds, 0.001)).toFixed(2);
      facts.Efficiency = `${Math.round((100 * needed) / game.clicks)} %`;
    } else {
      const open = game.opened.size - 1, safe = game.size - game.mines;
      facts.Opened = `${Math.round((100 * open) / safe)} %`;
    }
    if (game.board?.difficulty !== undefined) {
      facts.Difficulty = game.board.difficulty.toFixed(1);
      facts["Hardest rule"] = game.board.hardest_rule;
    }
    listFacts(at("result"), facts);
    at("result-card").hidden = false;
  }
}
