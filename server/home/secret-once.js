import { copyButton } from "./copy.js";
import { openDialog } from "./dialogs.js";
import { button, el } from "./dom.js";

/** Shows a secret this once. It leaves the document when the dialog closes, and is kept nowhere. */
export function openSecretOnce({ title, intro, label, secret, lines = [], onClose }) {
  const stored = el("input", { type: "checkbox", id: "stored" });
  const done = button("Done", { class: "button primary", disabled: true, onclick: () => dialog.close() });
  const allow = () => {
    done.disabled = !stored.checked;
  };
  const copied = () => {
    stored.checked = true;
    allow();
  };
  stored.addEventListener("change", allow);
  const dialog = openDialog({
    title,
    wide: true,
    body: [
      el("p", {}, intro),
      codeBlock(label, secret, copied),
      ...lines.map(([lineLabel, text]) => codeBlock(lineLabel, text, copied)),
      el("div", { class: "check" }, stored, el("label", { for: "stored" }, "I have stored it")),
    ],
    actions: [done],
    mayClose: () => stored.checked,
    onClose,
  });
}

/** Text to paste, with its name above and a button that copies it. */
export function codeBlock(label, text, onCopied) {
  return el(
    "div",
    { class: "code-block" },
    el(
      "div",
      { class: "code-head" },
      el("span", {}, label),
      copyButton(`Copy: ${label}`, () => text, onCopied),
    ),
    el("pre", {}, el("code", {}, text)),
  );
}
