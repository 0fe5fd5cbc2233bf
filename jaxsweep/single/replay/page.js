// A page of one replay, which is in it: no server, no other file, no network.

import { at } from "./elements.js";
import { Film } from "./film.js";
import { Grades } from "./grades.js";
import { Recording } from "./recording.js";
import { Stage } from "./stage.js";

const replay = JSON.parse(at("replay").textContent);
const recording = new Recording(replay, replay.reasons);
const film = new Film(new Stage(() => {}, () => {}), (now) => grades.mark(now));
const grades = new Grades((when) => film.step(when));

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) grades.do(button.dataset.do) || film.act(button.dataset.do);
});
document.addEventListener("keydown", (event) => {
  const on = event.target, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey || event.altKey || on.closest("select, .scroll")) return;
  if ((key === " " || key === "Enter") && on.closest("button")) return;
  if (film.stage.onKey(key) || film.onKey(key)) event.preventDefault();
});

const { strategy } = replay, person = recording.player || "A game by hand";
const who = strategy === "human" ? person : `Strategy ${strategy}`;
at("strategy").textContent = at("name").textContent = who;
document.title = `${who}, ${recording.rows}×${recording.cols}, ${recording.outcomeInWords}`;
at("clock").hidden = at("analyse-here").hidden = true;
at("film").hidden = false;
film.show(recording);
grades.show(recording);
document.body.dataset.ready = "yes";
