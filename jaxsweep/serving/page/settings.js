// What a person has chosen in some fields: it is there again at the next visit.

import { at } from "./elements.js";

const KEY = "settings";

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return {};
  }
}

const isCheck = (field) => field.type === "checkbox";

// Fills fields with what was kept, and keeps them from now on.
export function remember(ids) {
  const before = kept();
  for (const id of ids) {
    const field = at(id), value = before[id];
    if (isCheck(field)) field.checked = value ?? field.checked;
    // Of a list, only what is in it.
    else if (value !== undefined && (!field.options || [...field.options].some((one) => one.value === value)))
      field.value = value;
    field.addEventListener("change", () => {
      try {
        localStorage.setItem(KEY, JSON.stringify({ ...kept(), [id]: isCheck(field) ? field.checked : field.value }));
      } catch { /* storage may be forbidden */ }
    });
  }
}
