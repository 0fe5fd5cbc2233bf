// Saving a game in a format of choice: the server converts it.

import * as server from "./server.js";

export class Saving {
  // `select` is filled with the formats in which games are written.
  constructor(page, select) {
    this.page = page;
    this.select = select;
    for (const [name, { title, ending }] of Object.entries(page.about.formats))
      select.add(new Option(ending ? `${title} (${ending})` : title, name));
    select.value = "replay";
  }

  async save(bytes, number = 1) {
    const name = this.select.value, { ending } = this.page.about.formats[name];
    try {
      this.page.save(`game${ending || ".txt"}`, await server.convert(bytes, name, number));
    } catch (error) {
      this.page.headline(error.message, "wrong");
    }
  }
}
