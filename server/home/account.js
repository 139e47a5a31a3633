import { call } from "./api.js";
import { button, el, icon, say, when } from "./dom.js";

/** Who is signed in, until when, and the way out. */
export function showAccount(slot, me, onSignedOut) {
  const isInternal = me.kind === "internal_secret";
  const name = isInternal ? "Internal secret" : (me.name ?? "API key");
  const signOut = button("Sign out", { class: "button wide" });
  signOut.addEventListener("click", async () => {
    signOut.disabled = true;
    try {
      await call("DELETE", "/v1/session");
      onSignedOut();
    } catch (problem) {
      signOut.disabled = false;
      if (problem.status !== 401) say(`Still signed in: ${problem.detail} ${problem.remedy ?? ""}`);
    }
  });
  const facts = [
    ["Signed in with", isInternal ? "the internal secret" : "an API key"],
    !isInternal && ["Key", name],
    ["May", isInternal ? "everything, in every project" : scopesOf(me)],
    me.session_expires_at && ["Session ends", when(me.session_expires_at)],
  ];
  slot.replaceChildren(
    menu(
      [icon("person"), el("span", { class: "menu-name" }, name)],
      "Account",
      el("dl", { class: "facts" }, ...facts.filter(Boolean).map(([term, value]) => fact(term, value))),
      signOut,
    ),
  );
}

/** A disclosure in the bar that closes with Escape and with a click elsewhere. */
export function menu(summary, label, ...panel) {
  const head = el("summary", { class: "menu-button", title: label }, ...summary);
  const node = el("details", { class: "menu" }, head, el("div", { class: "menu-panel" }, ...panel));
  node.addEventListener("toggle", () => {
    if (!node.open) return;
    const close = (event) => {
      if (event.type === "keydown" ? event.key !== "Escape" : node.contains(event.target)) return;
      node.open = false;
      if (event.type === "keydown") head.focus();
    };
    const ended = new AbortController();
    addEventListener("click", close, { signal: ended.signal });
    addEventListener("keydown", close, { signal: ended.signal });
    node.addEventListener("toggle", () => ended.abort(), { once: true });
  });
  return node;
}

export function fact(term, value) {
  return el("div", {}, el("dt", {}, term), el("dd", {}, value));
}

function scopesOf({ scopes, permissions }) {
  return scopes === null || scopes.includes("*") ? "everything in its project" : permissions.join(", ");
}
