// The elements of a page: found by their id, and small ones that are made.

export const at = (id) => document.getElementById(id);

// An element with a text, of a tag.
export function made(tag, text = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

// Fills a list of terms with facts, by their names.
export function listFacts(element, facts) {
  element.replaceChildren(...Object.entries(facts).map(([name, value]) => {
    const pair = made("div");
    pair.append(made("dt", name), made("dd", value));
    return pair;
  }));
}
