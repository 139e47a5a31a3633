// Runs before the first paint, so the page never flashes in the other theme. The reference page uses it too.
(() => {
  const STORED = "millrace-theme";
  const THEMES = ["system", "light", "dark"];
  const root = document.documentElement;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    const stored = read();
    return THEMES.includes(stored) ? stored : "system";
  }

  function apply() {
    const theme = chosen();
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    root.classList.toggle("dark-mode", theme === "dark" || (theme === "system" && systemDark.matches));
    for (const button of document.querySelectorAll("[data-theme-toggle]")) describe(button, theme);
  }

  function describe(button, theme) {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    button.dataset.themeNow = theme;
    button.setAttribute("aria-label", `Theme: ${theme}. Change to ${next}.`);
    button.title = `Theme: ${theme}`;
  }

  // Storage may be closed to this page: the choice then lasts as long as the page.
  let kept;
  function read() {
    try {
      return kept ?? localStorage.getItem(STORED);
    } catch {
      return kept;
    }
  }
  function write(theme) {
    kept = theme;
    try {
      localStorage.setItem(STORED, theme);
      kept = undefined;
    } catch {}
  }

  apply();
  systemDark.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("DOMContentLoaded", apply);
  addEventListener("click", ({ target }) => {
    if (!target.closest?.("[data-theme-toggle]")) return;
    write(THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length]);
    apply();
  });
})();
