// The page: its modes, what they share, and what people bring along: links, files, pasted text.

import { Analyse } from "./analyse.js";
import { Board } from "./board.js";
import { Film } from "./film.js";
import { Play } from "./play.js";
import { fromLink, fromText } from "./position.js";
import { Recording } from "./recording.js";
import * as server from "./server.js";

const at = (id) => document.getElementById(id);
const CARDS = {
  play: ["play-card", "play-tools"],
  analyse: ["size-card", "brushes"],
  watch: ["watch-card", "film"],
  replay: ["replay-card", "film"],
};
const MODES = Object.keys(CARDS);
const ONLY_WHEN_FILLED = ["result-card", "moves-card", "answer-card"];

// What the modes share: the board, the lines above it, and each other.
const page = {
  mode: null,
  about: null,
  board: null,
  headline(text, is) {
    at("headline").textContent = text;
    at("headline").dataset.is = is;
  },
  count(left) { at("left").textContent = left; },
  clock(seconds) { at("seconds").textContent = seconds.toFixed(1); },
  legend(shown) { at("legend").classList.toggle("shown", shown); },
  list(element, facts) {
    element.replaceChildren(...Object.entries(facts).map(([name, value]) => {
      const pair = document.createElement("div"), term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      pair.append(term, text);
      return pair;
    }));
  },
  // How the cells are drawn that an analysis knows something of.
  odds(analysis, cols) {
    if (!analysis) return () => ({});
    const marks = new Map();
    for (const [row, col] of analysis.safe) marks.set(row * cols + col, "safe");
    for (const [row, col] of analysis.certain_mines) marks.set(row * cols + col, "mine");
    return (cell) => ({
      odds: analysis.mine_probability[Math.floor(cell / cols)][cell % cols], mark: marks.get(cell) ?? null,
    });
  },
  // Puts the mode into the address, without a step of its own in the history.
  remember(fragment) { history.replaceState(null, "", `#${fragment}`); },
  async copy(text, said) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    page.headline(said, "");
  },
  save(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  },
  seeReplay(recording) {
    replay.recording = recording;
    at("about-replay").textContent = recording.title();
    at("problems").replaceChildren();
    show("replay");
  },
};

// Watching and replays share the film; each keeps its own recording.
class Watch {
  recording = null;

  enter() {
    if (this.recording) film.show(this.recording, this.now || 0);
    else this.#start();
  }

  leave() {
    film.stop();
    this.now = film.now;
  }

  do(name) {
    if (name === "watch") return this.#start();
    if (name === "analyse") return analyseHere();
    return film.act(name);
  }

  onKey(key) { return key === "r" ? (this.#start(), true) : film.onKey(key); }

  act() {}

  async #start() {
    this.pending?.abort();
    const pending = (this.pending = new AbortController());
    const query = { player: at("watch-player").value, level: at("watch-level").value, start: at("watch-start").value };
    if (at("watch-seed").value !== "") query.seed = at("watch-seed").value;
    film.stop();
    page.headline("The player thinks…", "");
    try {
      await server.watch(query, (name, data) => this.#take(name, data), pending.signal);
    } catch (error) {
      if (error.name !== "AbortError") page.headline(error.message, "wrong");
    }
  }

  #take(name, data) {
    const isShown = page.mode === "watch";
    if (name === "game") {
      this.recording = new Recording(data, page.about.reasons);
      if (isShown) {
        film.show(this.recording);
        film.run();
      }
    } else if (name === "move") this.recording.add(data);
    else if (name === "end") this.recording.end(data.outcome);
    else page.headline(data.error, "wrong");
    if (isShown && (name === "move" || name === "end")) film.grown();
  }
}

class Replay {
  recording = null;

  enter() {
    if (this.recording) film.show(this.recording, this.now || 0);
    else {
      page.board.resize(9, 9);
      page.board.draw(() => ({ state: "hidden" }));
      page.count("–");
      page.headline("Drop a replay here, or open one.", "");
    }
  }

  leave() {
    film.stop();
    this.now = this.recording ? film.now : 0;
  }

  do(name) { return name === "analyse" ? analyseHere() : film.act(name); }

  onKey(key) { return film.onKey(key); }

  act() {}

  async load(bytes) {
    const found = await server.checkReplay(bytes);
    const game = { ...found.replay, survival: found.survival };
    this.recording = new Recording(game, page.about.reasons);
    this.now = 0;
    show("replay");
    at("about-replay").textContent = `${this.recording.title()}: ${found.moves} moves, `
      + (found.problems.length ? "with problems:" : "every move checked, no problems found.");
    at("problems").replaceChildren(...found.problems.slice(0, 20).map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
  }
}

function analyseHere() {
  const { recording, now } = film;
  if (!recording) return;
  analyse.show(recording.position(now));
  show("analyse");
}

let film, replay, analyse;
const modes = {};

function show(name) {
  modes[page.mode]?.leave();
  page.mode = name;
  document.body.dataset.mode = name;
  for (const id of new Set([...Object.values(CARDS).flat(), ...ONLY_WHEN_FILLED])) at(id).hidden = true;
  for (const id of CARDS[name]) at(id).hidden = false;
  at("clock").style.visibility = name === "play" ? "visible" : "hidden";
  for (const link of document.querySelectorAll("nav a"))
    link.toggleAttribute("aria-current", link.dataset.to === name);
  for (const link of document.querySelectorAll("nav a[aria-current]")) link.setAttribute("aria-current", "page");
  if (name !== "analyse") page.remember(name);
  page.headline("", "");
  page.legend(false);
  page.board.element.classList.remove("playing");
  modes[name].enter();
  if (name === "play" && modes.play.game?.isOver) at("result-card").hidden = false;
}

function follow(fragment) {
  const [name, carried] = fragment.replace(/^#/, "").split("=");
  if (name === "analyse" && carried) {
    try {
      analyse.show(fromLink(decodeURIComponent(carried)));
    } catch (error) {
      show("analyse");
      page.headline(error.message, "wrong");
      return;
    }
  }
  show(MODES.includes(name) ? name : "play");
}

// A text is a position, or a replay; a compressed file can only be a replay.
async function take(blob) {
  try {
    const bytes = await blob.arrayBuffer();
    const [first, second] = new Uint8Array(bytes.slice(0, 2));
    const text = first === 0x1f && second === 0x8b ? null : new TextDecoder().decode(bytes);
    if (text === null || (text.trimStart().startsWith("{") && text.includes("jaxsweep-replay")))
      await replay.load(bytes);
    else {
      analyse.show(fromText(text));
      if (page.mode !== "analyse") show("analyse");
    }
  } catch (error) {
    page.headline(error.message, "wrong");
  }
}

function listen() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    if (button.dataset.do === "open") at("file").click();
    else modes[page.mode].do(button.dataset.do);
  });
  for (const link of document.querySelectorAll("nav a, .brand"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      show(link.dataset.to || "play");
    });
  addEventListener("hashchange", () => follow(location.hash));
  at("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) take(file);
    event.target.value = "";
  });
  addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    const text = event.clipboardData.getData("text");
    const link = /#analyse=(\S+)/.exec(text);
    if (link) follow(`#analyse=${link[1]}`);
    else if (text.trim()) take(new Blob([text]));
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData("text");
    if (file) take(file);
    else if (text) take(new Blob([text]));
  });
  document.addEventListener("keydown", (event) => {
    const on = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || on.closest("input, select, textarea, table")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // Buttons and links have the space bar and the return key for themselves.
    if ((key === " " || key === "Enter") && on.closest("button, a")) return;
    if (modes[page.mode].onKey(key)) event.preventDefault();
  });
  at("theme").addEventListener("click", () => {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme || (isDark ? "dark" : "light");
    setTheme(now === "dark" ? "light" : "dark");
  });
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  try { localStorage.setItem("theme", name); } catch { /* it lasts as long as the page */ }
}

function fill() {
  for (const select of document.querySelectorAll("select.level")) {
    const isWatch = select.id === "watch-level";
    for (const [name, { rows, cols, mines }] of Object.entries(page.about.levels))
      select.add(new Option(`${name}, ${rows}×${cols}/${mines}`, name));
    if (!isWatch) select.add(new Option("custom", "custom"));
    select.value = isWatch ? "intermediate" : "beginner";
  }
  for (const name of page.about.players) at("watch-player").add(new Option(name, name));
  at("watch-player").value = page.about.best;
}

async function main() {
  try {
    const theme = localStorage.getItem("theme");
    if (theme) document.documentElement.dataset.theme = theme;
  } catch { /* storage may be forbidden */ }
  page.board = new Board(at("board"), (kind, cell) => modes[page.mode].act(kind, cell));
  // Something to see while the server answers.
  page.board.resize(9, 9);
  page.board.draw(() => ({ state: "hidden" }));
  try {
    page.about = await server.about();
  } catch (error) {
    page.headline(error.message, "wrong");
    return;
  }
  fill();
  film = new Film(page);
  replay = modes.replay = new Replay();
  analyse = modes.analyse = new Analyse(page);
  modes.play = new Play(page);
  modes.watch = new Watch();
  listen();
  follow(location.hash);
  document.body.dataset.ready = "yes";
}

main();
