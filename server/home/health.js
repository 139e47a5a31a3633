import { fact, menu } from "./account.js";
import { el, icon } from "./dom.js";

const ASK_EVERY_MS = 15_000;

/** The state of the service in the bar, asked for while the page is looked at. Says when it comes back. */
export function watchHealth(slot) {
  let last;
  const mark = el("span", { class: "health-mark" }, icon("hollow"));
  const label = el("span", { class: "menu-name" }, "Checking");
  const facts = el("dl", { class: "facts" });
  slot.replaceChildren(menu([mark, label], "Service health", facts));

  async function ask() {
    if (document.hidden && last) return;
    const { state, text, checks } = await readHealth();
    mark.replaceChildren(icon(state === "ready" ? "check" : "failed"));
    mark.dataset.state = state;
    label.textContent = text;
    facts.replaceChildren(...Object.entries(checks).map(([name, value]) => fact(name, value)));
    if (last === "unreachable" && state !== "unreachable") dispatchEvent(new Event("service-back"));
    last = state;
  }

  void ask();
  setInterval(() => void ask(), ASK_EVERY_MS);
  document.addEventListener("visibilitychange", () => void ask());
}

async function readHealth() {
  try {
    const response = await fetch("/health/ready", { signal: AbortSignal.timeout(10_000) });
    const { ready, checks } = await response.json();
    return { state: ready ? "ready" : "failed", text: ready ? "Ready" : "Not ready", checks };
  } catch {
    return { state: "unreachable", text: "Not reachable", checks: { service: "does not answer" } };
  }
}
