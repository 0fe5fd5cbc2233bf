// The page: its modes, what they share, and how one goes from one to another.

import { Analyse } from "./analyse.js";
import { listenForArrivals } from "./arrivals.js";
import { at } from "./elements.js";
import { Film } from "./film.js";
import { Play } from "./play.js";
import { Replay } from "./replay.js";
import * as server from "./server.js";
import { remember } from "./settings.js";
import { Stage } from "./stage.js";
import { Watch } from "./watch.js";

const CARDS = {
  play: ["play-card", "play-tools"],
  analyse: ["size-card", "analyse-tools"],
  watch: ["watch-card", "film", "moves-card"],
  replay: ["replay-card", "film", "invitation"],
};
const ONLY_WHEN_FILLED = ["result-card", "moves-card", "answer-card", "cell-card", "grade-card"];
const REMEMBERED = [
  "play-level", "play-start", "play-no-guess", "play-wish", "play-rows", "play-cols", "play-mines",
  "watch-player", "watch-level", "watch-start", "speed",
];

const modeOf = (fragment) => fragment.replace(/^#/, "").split("=")[0];
const modes = {};

// What the modes share: the stage, and each other.
class Page extends Stage {
  constructor() {
    super((kind, cell) => modes[this.mode]?.act(kind, cell), (cell) => modes[this.mode]?.point?.(cell));
    this.mode = null;
    this.about = null;
  }

  // How the cells are drawn that an analysis knows something of.
  odds(analysis, cols) {
    if (!analysis) return () => ({});
    const marks = new Map();
    for (const [row, col] of analysis.safe) marks.set(row * cols + col, "safe");
    for (const [row, col] of analysis.certain_mines) marks.set(row * cols + col, "mine");
    return (cell) => ({
      odds: analysis.mine_probability[Math.floor(cell / cols)][cell % cols], mark: marks.get(cell) ?? null,
    });
  }

  // Puts the mode, and what it carries, into the address: another mode is a step in the history.
  remember(fragment) {
    const isStep = location.hash && modeOf(location.hash) !== modeOf(fragment);
    history[isStep ? "pushState" : "replaceState"](null, "", `#${fragment}`);
  }

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
    this.headline(said);
  }

  // What is to be known besides the headline.
  notice(text) {
    at("notice").textContent = text;
    at("notice").hidden = !text;
  }

  // Goes to a mode, perhaps with what a link carries.
  show(name, carried = "") {
    modes[this.mode]?.leave();
    this.mode = name;
    document.body.dataset.mode = name;
    document.title = `${name[0].toUpperCase()}${name.slice(1)} · jaxsweep`;
    for (const id of new Set([...Object.values(CARDS).flat(), ...ONLY_WHEN_FILLED])) at(id).hidden = true;
    for (const id of CARDS[name]) at(id).hidden = false;
    at("clock").hidden = name !== "play";
    for (const link of document.querySelectorAll("nav a"))
      if (link.dataset.to === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    if (name !== "analyse") this.remember(name);
    this.headline("");
    this.notice("");
    this.legend(false);
    this.board.element.classList.remove("playing");
    modes[name].enter(carried);
  }

  // Shows a replay, and its grades.
  load(bytes, number, games) { return modes.replay.load(bytes, number, games); }

  grade(replay) { return modes.replay.grade(replay); }

  // Shows positions, the first of them at once.
  analyse(...positions) {
    if (this.mode !== "analyse") this.show("analyse");
    modes.analyse.bring(positions);
  }

  // Goes where a fragment of an address leads.
  follow(fragment) {
    const name = modeOf(fragment);
    this.show(name in CARDS ? name : "play", fragment.split("=")[1]);
  }
}

function listen(page, film) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    if (button.dataset.do === "open") at("file").click();
    else if (button.dataset.do === "analyse" && film.recording) page.analyse(film.recording.position(film.now));
    else modes[page.mode].do(button.dataset.do);
  });
  for (const link of document.querySelectorAll("nav a, .brand"))
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      page.show(link.dataset.to || "play");
    });
  addEventListener("hashchange", () => page.follow(location.hash));
  document.addEventListener("keydown", (event) => {
    const on = event.target, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.altKey || on.closest("input, select, textarea")) return;
    if (event.ctrlKey || event.metaKey) {
      if (key === "z" && !event.shiftKey) modes[page.mode].do("undo");
      return;
    }
    // Buttons, links and lists that scroll have some keys for themselves.
    if ((key === " " || key === "Enter") && on.closest("button, a")) return;
    if (key.length > 1 && key !== "Escape" && on.closest(".scroll")) return;
    if (page.onKey(key) || modes[page.mode].onKey(key)) event.preventDefault();
  });
}

function fill(about) {
  for (const select of document.querySelectorAll("select.level")) {
    const isWatch = select.id === "watch-level";
    for (const [name, { rows, cols, mines }] of Object.entries(about.levels))
      select.add(new Option(`${name}, ${rows}×${cols}/${mines}`, name));
    if (!isWatch) select.add(new Option("custom", "custom"));
    select.value = isWatch ? "intermediate" : "beginner";
  }
  for (const name of about.players) at("watch-player").add(new Option(name, name));
  at("watch-player").value = about.best;
}

async function main() {
  const page = new Page();
  // Something to see while the server answers.
  page.board.resize(9, 9);
  page.board.draw(() => ({ state: "hidden" }));
  document.querySelector("footer a").href = server.description;
  try {
    page.about = await server.about((sentence) => page.headline(`${sentence} Trying again…`, "wrong"));
  } catch (error) {
    page.headline(error.message, "wrong");
    return;
  }
  fill(page.about);
  remember(REMEMBERED);
  const film = new Film(page, (now) => modes.replay.moved(now));
  modes.replay = new Replay(page, film);
  modes.analyse = new Analyse(page);
  modes.play = new Play(page);
  modes.watch = new Watch(page, film);
  listen(page, film);
  listenForArrivals(page);
  page.follow(location.hash);
  document.body.dataset.ready = "yes";
}

main();
