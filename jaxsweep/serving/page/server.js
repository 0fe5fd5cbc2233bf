// Requests to the server: the one that served this page, or the one that the page was exported for.

const base = document.querySelector('meta[name="server"]').content;

// Where the server describes itself.
export const description = `${base || "."}/openapi.json`;

// An answer that says what is wrong with what was asked, or none, which is silent.
export class Refused extends Error {
  constructor(sentence, isSilent = false) {
    super(sentence);
    this.isSilent = isSilent;
  }
}

async function answer(path, options) {
  let reply;
  try {
    reply = await fetch(base + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("the server does not answer: is it running?", true);
  }
  if (reply.ok) return reply;
  const said = await reply.json().catch(() => ({ error: `the server says ${reply.status}` }));
  throw new Refused(said.error);
}

// What the server has to offer; where it does not answer, `wait(sentence)` is told, and it is asked again.
export async function about(wait) {
  for (let pause = 1000; ; pause = Math.min(2 * pause, 8000)) {
    try {
      return await (await answer("/about")).json();
    } catch (error) {
      if (!error.isSilent) throw error;
      wait(error.message);
      await new Promise((done) => setTimeout(done, pause));
    }
  }
}

export async function analyze(position, signal) {
  const body = JSON.stringify(position);
  return (await answer("/analyze", { method: "POST", body, signal })).json();
}

export async function deal(query, signal) {
  return (await answer("/deal?" + new URLSearchParams(query), { signal })).json();
}

// A game in a file of any format: a number says which, of several.
const posted = (path, query, body) =>
  answer(path + "?" + new URLSearchParams(query), { method: "POST", body });

export async function checkReplay(bytes, game) {
  return (await posted("/replay/check", { game }, bytes)).json();
}

export async function gradeReplay(bytes, game) {
  return (await posted("/replay/grade", { game }, bytes)).json();
}

// What each game of a file says of itself, or else each position.
export async function describe(bytes) {
  return (await answer("/replay/info", { method: "POST", body: bytes })).json();
}

// The file in another format.
export async function convert(bytes, to, game) {
  return (await posted("/convert", { to, game }, bytes)).blob();
}

// A board to order, with its mines as in a game that is dealt.
export async function makeBoard(order, signal) {
  const reply = await answer("/boards", { method: "POST", body: JSON.stringify(order), signal });
  const board = await reply.json(), { rows, cols, start, first, seed, game, repaired } = board;
  const mined = new Set(board.mine_cells.map(([row, col]) => row * cols + col));
  const layout = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: cols }, (_, col) => (mined.has(row * cols + col) ? "*" : ".")).join(""));
  // A board whose mines were moved is no deal of the seed.
  const source = repaired ? { seed: null, game: null } : { seed, game };
  return { dealt: { rows, cols, mines: mined.size, start, first, ...source, layout }, board };
}

// What a hidden cell would show.
export async function numbersOf(position, cell, signal) {
  const query = { row: Math.floor(cell / position.cols), col: cell % position.cols };
  const body = JSON.stringify(position.toJson());
  return (await answer("/analyze/cell?" + new URLSearchParams(query), { method: "POST", body, signal })).json();
}

// Calls `take(name, data)` for each event of a game that a player plays.
export async function watch(query, take, signal) {
  try {
    await read(query, take, signal);
  } catch (error) {
    if (error.name === "AbortError" || error instanceof Refused) throw error;
    throw new Refused("the server has stopped in the middle of the game", true);
  }
}

async function read(query, take, signal) {
  const reply = await answer("/watch?" + new URLSearchParams(query), { signal });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const [event, data] = part.split("\n");
      take(event.slice("event: ".length), JSON.parse(data.slice("data: ".length)));
    }
  }
}
