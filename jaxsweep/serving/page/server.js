// Requests to the server: the one that served this page, or the one that the page was exported for.

const base = document.querySelector('meta[name="server"]').content;

export class Refused extends Error {}

async function answer(path, options) {
  let reply;
  try {
    reply = await fetch(base + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("the server does not answer: is it running?");
  }
  if (reply.ok) return reply;
  const said = await reply.json().catch(() => ({ error: `the server says ${reply.status}` }));
  throw new Refused(said.error);
}

export async function about() {
  return (await answer("/about")).json();
}

export async function analyze(position, signal) {
  const body = JSON.stringify(position);
  return (await answer("/analyze", { method: "POST", body, signal })).json();
}

export async function deal(query) {
  return (await answer("/deal?" + new URLSearchParams(query))).json();
}

export async function checkReplay(bytes) {
  return (await answer("/replay/check", { method: "POST", body: bytes })).json();
}

// Calls `take(name, data)` for each event of a game that a player plays.
export async function watch(query, take, signal) {
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
