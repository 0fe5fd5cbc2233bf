// What people bring along: files that are opened or dropped, and texts and links that are pasted.

import { fromText } from "./position.js";
import * as server from "./server.js";

const at = (id) => document.getElementById(id);
const GZIP = [0x1f, 0x8b];

export function listenForArrivals(page, follow) {
  const taken = (blob) => take(page, blob);
  at("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) taken(file);
    event.target.value = "";
  });
  at("pasted").addEventListener("change", (event) => {
    if (event.target.value.trim()) taken(new Blob([event.target.value]));
    event.target.value = "";
  });
  addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    const [file] = event.clipboardData.files, text = event.clipboardData.getData("text");
    const link = /#analyse=(\S+)/.exec(text);
    if (file) taken(file);
    else if (link) follow(`#analyse=${link[1]}`);
    else if (text.trim()) taken(new Blob([text]));
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
    const [file] = event.dataTransfer.files, text = event.dataTransfer.getData("text");
    if (file) taken(file);
    else if (text) taken(new Blob([text]));
  });
}

// Games with moves are replays; positions, and boards of which nothing is open, are analysed.
async function take(page, blob) {
  try {
    const bytes = await blob.arrayBuffer(), text = positionText(bytes);
    if (text !== null) return page.analyse(fromText(text));
    const contents = await server.describe(bytes);
    if (contents[0].left !== null) return await page.load(bytes, 1, contents.length);
    const converted = await server.convert(bytes, "position", 1);
    const { rows, cols, mines, board } = JSON.parse(await converted.text());
    return page.analyse(fromText([`${cols}x${rows}x${mines}`, ...board].join("\n")));
  } catch (error) {
    page.headline(error.message, "wrong");
  }
}

// The text of bytes that are a position in our own form, right or wrong; null for all others.
function positionText(bytes) {
  const start = new Uint8Array(bytes.slice(0, 64));
  if (GZIP.every((byte, i) => start[i] === byte)) return null;
  const text = new TextDecoder().decode(bytes);
  if (/^\s*\d+\s*[xX×]\s*\d/.test(text)) return text;
  return /^\s*\{/.test(text) && text.includes('"board"') && !text.includes('"moves"') ? text : null;
}
