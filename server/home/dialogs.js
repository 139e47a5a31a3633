import { button, el } from "./dom.js";
import { problemView } from "./problem-view.js";

let made = 0;
let opener;

/** A modal dialog. The browser keeps the focus in it; afterwards it goes back to what opened the first of them. */
export function openDialog({ title, body, actions, wide = false, mayClose = () => true, onClose = () => {} }) {
  made += 1;
  const id = `dialog-${made}`;
  if (!document.querySelector("dialog")) opener = placeOf(document.activeElement);
  const node = el(
    "dialog",
    { class: wide ? "dialog wide" : "dialog", "aria-labelledby": id },
    el("h2", { id }, title),
    el("div", { class: "dialog-body" }, ...body),
    el("div", { class: "dialog-actions" }, el("span", { role: "status", class: "dialog-status" }), ...actions),
  );
  node.addEventListener("cancel", (event) => mayClose() || event.preventDefault());
  node.addEventListener("close", () => {
    node.remove();
    if (!document.querySelector("dialog")) giveBackFocus();
    onClose();
  });
  document.body.append(node);
  node.showModal();
  return node;
}

/** A row may be gone when its dialog closes: then its section's heading is the nearest place. */
function placeOf(node) {
  return { node, heading: node.closest("section")?.querySelector("h2") };
}

function giveBackFocus() {
  const { node, heading } = opener;
  if (document.activeElement === document.body) (node.isConnected ? node : heading)?.focus();
}

/** A form in a dialog. `submit` does the work; what it throws is shown above the buttons, by field where it has one. */
export function openForm({ title, fields, action, danger = false, submit }) {
  const form = el("form", { class: "form", novalidate: true, id: `form-${made + 1}` }, ...fields);
  const faults = el("div", { class: "form-faults" });
  const cancel = button("Cancel", { onclick: () => dialog.close() });
  const kind = danger ? "button danger" : "button primary";
  const send = el("button", { type: "submit", class: kind, form: form.id }, action);
  let busy = false;
  const dialog = openDialog({ title, body: [form, faults], actions: [cancel, send], mayClose: () => !busy });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy || !markMissing(form)) return;
    setBusy(true);
    try {
      await submit(new FormData(form));
      dialog.close();
    } catch (problem) {
      faults.replaceChildren(problemView(problem));
      markFields(form, problem.errors ?? []);
    } finally {
      setBusy(false);
    }
  });

  function setBusy(now) {
    busy = now;
    send.toggleAttribute("disabled", now);
    cancel.toggleAttribute("disabled", now);
    if (now) faults.replaceChildren();
  }
}

/** A labelled control; `hint` is read with it. */
export function field(label, control, hint) {
  made += 1;
  const id = `field-${made}`;
  control.id = id;
  const children = [el("label", { for: id }, label), control];
  if (hint) {
    control.setAttribute("aria-describedby", `${id}-hint`);
    children.push(el("p", { class: "hint", id: `${id}-hint` }, hint));
  }
  return el("div", { class: "field" }, ...children);
}

export function options(pairs) {
  return pairs.map(([value, label]) => el("option", { value }, label));
}

function markMissing(form) {
  const missing = [...form.elements].filter((control) => control.required && control.value.trim() === "");
  markFields(
    form,
    missing.map(({ name }) => ({ location: `body.${name}`, message: "is required" })),
  );
  return missing.length === 0;
}

function markFields(form, errors) {
  for (const old of form.querySelectorAll(".fault")) old.remove();
  for (const control of form.elements) control.removeAttribute("aria-invalid");
  const marked = errors.map(({ location, message }) => markField(form, location, message)).filter(Boolean);
  marked[0]?.focus();
}

function markField(form, location, message) {
  const name = location.replace(/^body\./, "").split(/[.[]/, 1)[0];
  const control = form.elements.namedItem(name);
  if (!(control instanceof HTMLElement) || control.hasAttribute("aria-invalid")) return undefined;
  control.setAttribute("aria-invalid", "true");
  control.closest(".field")?.append(el("p", { class: "fault" }, `This ${message}.`));
  return control;
}
