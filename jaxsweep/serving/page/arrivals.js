// What people bring along: files that are opened or dropped, and texts and links that are pasted.

import { at } from "./elements.js";
import { fromLink, fromText, fromTexts } from "./position.js";
import * as server from "./server.js";

const GZIP = [0x1f, 0x8b];

export function listenForArrivals(page) {
  const files = (list) => take(page, list[0], list[0].name, list.length - 1);
  const text = (pasted) => {
    if (pasted.trim()) take(page, new Blob([pasted]));
  };
  at("file").addEventListener("change", (event) => {
    if (event.target.files.length) files(event.target.files);
    event.target.value = "";
  });
  at("pasted").addEventListener("change", (event) => {
    text(event.target.value);
    event.target.value = "";
  });
  at("pasted").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) event.target.blur();
  });
  addEventListener("paste", (event) => {
    if (event.target.id !== "pasted" && event.target.closest?.("input, textarea")) return;
    event.preventDefault();
    const data = event.clipboardData;
    if (data.files.length) files(data.files);
    else text(data.getData("text"));
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
    const data = event.dataTransfer;
    if (data.files.length) files(data.files);
    else text(data.getData("text"));
  });
}

// Shows what has arrived. What goes wrong is said with the name of the file, where there is one.
async function take(page, blob, name = "", others = 0) {
  const named = name && `${name}: `;
  page.notice("");
  page.headline(`${named}reading…`);
  try {
    await show(page, await bytesOf(blob, page.about.limits.body));
    if (others) page.notice(`Only ${name} is shown: one file at a time.`);
  } catch (error) {
    page.headline(named + error.message, "wrong");
  }
}

async function bytesOf(blob, most) {
  const inKiB = (size) => `${Math.ceil(size / 1024).toLocaleString("en")} KiB`;
  if (blob.size > most) throw new Error(`${inKiB(blob.size)} are too much; up to ${inKiB(most)} are read`);
  if (!blob.size) throw new Error("the file is empty");
  try {
    return await blob.arrayBuffer();
  } catch {
    throw new Error("this cannot be read: is it a folder?");
  }
}

// Games with moves are replays; positions, and boards of which nothing is open, are analysed.
async function show(page, bytes) {
  const own = ownPositions(bytes);
  if (own !== null) return page.analyse(...own);
  const contents = await server.describe(bytes);
  if (contents[0].left !== null) return page.load(bytes, 1, contents.length);
  const converted = await server.convert(bytes, "position", 1);
  return page.analyse(fromText(await converted.text()));
}

// Positions in our own forms, text, JSON or link; null for all other bytes. Throws for wrong ones.
function ownPositions(bytes) {
  const start = new Uint8Array(bytes.slice(0, 64));
  if (GZIP.every((byte, i) => start[i] === byte)) return null;
  const text = new TextDecoder().decode(bytes), link = /#analyse=(\S+)/.exec(text);
  if (link) return [fromLink(decodeURIComponent(link[1]))];
  if (/^\s*\d+\s*[xX×]\s*\d/.test(text)) return fromTexts(text);
  const isPosition = /^\s*\[\s*["{]/.test(text) || (/^\s*\{/.test(text) && text.includes('"board"'));
  return isPosition && !/"(moves|tiles)"/.test(text) ? fromTexts(text) : null;
}
