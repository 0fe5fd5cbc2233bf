// Light or dark: as the system has it, or as a person has chosen. No module, so that it runs before
// anything is painted.
(() => {
  const root = document.documentElement;
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen) root.dataset.theme = chosen;
  } catch { /* storage may be forbidden */ }
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("#theme")) return;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* it lasts as long as the page */ }
  });
})();
