import { el, icon, say } from "./dom.js";

const SHOWN_MS = 1600;

/** A small button that copies. It says so itself, for the eye and for the ear. */
export function copyButton(label, text, onCopied) {
  const node = el(
    "button",
    { type: "button", class: "icon-button copy", "aria-label": label, title: label },
    icon("copy"),
  );
  node.addEventListener("click", async () => {
    const copied = await copyText(text(), node);
    node.replaceChildren(icon(copied ? "check" : "failed"));
    node.classList.toggle("done", copied);
    say(copied ? "Copied" : "This browser did not allow copying: select the text and copy it.", node);
    if (copied) onCopied?.();
    setTimeout(() => {
      node.replaceChildren(icon("copy"));
      node.classList.remove("done");
    }, SHOWN_MS);
  });
  return node;
}

async function copyText(text, near) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, near);
  }
}

/** On plain HTTP browsers have no clipboard object. The text must stand inside an open dialog: the rest is inert. */
function copyBySelection(text, near) {
  const holder = el("textarea", { class: "offscreen", readonly: true, "aria-hidden": "true" });
  holder.value = text;
  (near.closest("dialog") ?? document.body).append(holder);
  holder.select();
  const copied = document.execCommand("copy");
  holder.remove();
  near.focus();
  return copied;
}
