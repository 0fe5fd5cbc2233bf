// Saving a game in a format of choice: the server converts it.

import * as server from "./server.js";

// Saves a file as a browser does.
function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export class Saving {
  // `select` is filled with the formats in which games are written.
  constructor(page, select) {
    this.page = page;
    this.select = select;
    for (const [name, { title, ending }] of Object.entries(page.about.formats))
      select.add(new Option(ending ? `${ending}, ${title}` : title, name));
    select.value = "replay";
  }

  // Saves a game of a file, or one that is none yet.
  async save(game, number = 1) {
    const bytes = game instanceof ArrayBuffer ? game : JSON.stringify(game);
    const name = this.select.value, { ending } = this.page.about.formats[name];
    try {
      save(`game${ending || ".txt"}`, await server.convert(bytes, name, number));
    } catch (error) {
      this.page.headline(error.message, "wrong");
    }
  }
}
