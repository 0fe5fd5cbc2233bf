// The page: its modes, what they share, and what people bring along: links, files, pasted text.

import { Analyse } from "./analyse.js";
import { listenForArrivals } from "./arrivals.js";
import { Board } from "./board.js";
import { Film } from "./film.js";
import { Play } from "./play.js";
import { fromLink } from "./position.js";
import { Replay } from "./replay.js";
import * as server from "./server.js";
import { Watch } from "./watch.js";

const at = (id) => document.getElementById(id);
const CARDS = {
  play: ["play-card", "play-tools"],
  analyse: ["size-card", "brushes"],
  watch: ["watch-card", "film"],
  replay: ["replay-card", "film"],
};
const MODES = Object.keys(CARDS);
const ONLY_WHEN_FILLED = ["result-card", "moves-card", "answer-card", "cell-card", "grade-card"];

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
  save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  },
};

const modes = {};

// Goes to a mode.
page.show = (name) => {
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
};

function follow(fragment) {
  const [name, carried] = fragment.replace(/^#/, "").split("=");
  if (name === "analyse" && carried) {
    try {
      modes.analyse.show(fromLink(decodeURIComponent(carried)));
    } catch (error) {
      page.show("analyse");
      page.headline(error.message, "wrong");
      return;
    }
  }
  page.show(MODES.includes(name) ? name : "play");
}

function listen(film) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    if (button.dataset.do === "open") at("file").click();
    else if (button.dataset.do === "analyse" && film.recording) page.analyse(film.recording.position(film.now));
    else modes[page.mode].do(button.dataset.do);
  });
  for (const link of document.querySelectorAll("nav a, .brand"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      page.show(link.dataset.to || "play");
    });
  addEventListener("hashchange", () => follow(location.hash));
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
  page.board = new Board(at("board"), (kind, cell) => modes[page.mode].act(kind, cell),
    (cell) => modes[page.mode]?.point?.(cell));
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
  const film = new Film(page);
  modes.replay = new Replay(page, film);
  modes.analyse = new Analyse(page);
  modes.play = new Play(page);
  modes.watch = new Watch(page, film);
  page.load = (...file) => modes.replay.load(...file);
  page.analyse = (position) => {
    modes.analyse.show(position);
    if (page.mode !== "analyse") page.show("analyse");
  };
  listen(film);
  listenForArrivals(page, follow);
  follow(location.hash);
  document.body.dataset.ready = "yes";
}

main();
