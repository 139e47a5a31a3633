import { ask } from "./api.js";
import { el, icon } from "./dom.js";
import { problemView } from "./problem-view.js";

/** The form for whoever has no session. `notice` says why one is here. */
export function showSignIn(app, { notice, problem, retry, onSignedIn }) {
  document.title = "Sign in · Millrace";
  const input = el("input", {
    id: "credential",
    name: "credential",
    type: "password",
    maxlength: 512,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": "credential-hint",
  });
  const reveal = el(
    "button",
    { type: "button", class: "icon-button", "aria-label": "Show what I type", "aria-pressed": "false" },
    icon("eye"),
  );
  const hint = el("p", { class: "hint", id: "credential-hint" }, HINT);
  const faults = el("div", { class: "form-faults" }, problem && problemView(problem, retry));
  const send = el("button", { type: "submit", class: "button primary wide" }, "Sign in");
  const form = el(
    "form",
    { class: "form", novalidate: true },
    el(
      "div",
      { class: "field" },
      el("label", { for: "credential" }, "API key or internal secret"),
      el("div", { class: "with-button" }, input, reveal),
      hint,
    ),
    faults,
    send,
  );

  reveal.addEventListener("click", () => {
    const shown = input.type === "password";
    input.type = shown ? "text" : "password";
    reveal.setAttribute("aria-pressed", String(shown));
  });
  input.addEventListener("input", () => {
    hint.textContent = HINTS[kindOf(input.value)] ?? HINT;
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const credential = input.value.trim();
    if (credential === "") return input.focus();
    send.disabled = true;
    faults.replaceChildren();
    try {
      await ask("POST", "/v1/session", { [kindOf(credential)]: credential });
      onSignedIn();
    } catch (fault) {
      faults.replaceChildren(problemView(withRemedy(fault)));
      send.disabled = false;
      input.select();
    }
  });

  app.replaceChildren(
    el(
      "div",
      { class: "sign-in" },
      el("img", { src: "/favicon.svg", alt: "", width: 40, height: 40 }),
      el("h1", { tabindex: -1 }, "Sign in to Millrace"),
      notice && el("p", { class: "notice", role: "status" }, notice),
      form,
      el(
        "div",
        { class: "sign-in-help" },
        el("p", {}, "On your own machine, ", el("code", {}, "npm start"), " prints a sign-in link."),
        el("p", {}, el("a", { href: "/docs" }, "API reference"), " · ", el("a", { href: "/openapi.json" }, "OpenAPI")),
      ),
    ),
  );
  input.focus();
}

const HINT = "API keys begin with svc_.";
const HINTS = { api_key: "Reads as an API key.", internal_secret: "Reads as the internal secret." };

function kindOf(text) {
  const credential = text.trim();
  if (credential === "") return undefined;
  return credential.startsWith("svc_") ? "api_key" : "internal_secret";
}

function withRemedy(problem) {
  if (problem.status !== 401) return problem;
  const remedy = "Check that it was copied whole. A key can also have been revoked, rotated or expired.";
  return Object.assign(problem, { title: "Not signed in", remedy });
}
