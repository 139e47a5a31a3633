/** Works on plain HTTP too, where navigator.clipboard is missing. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The text must be inside an open dialog, which traps the focus. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const holder = document.createElement("textarea");
  holder.value = text;
  holder.readOnly = true;
  holder.className = "sr-only";
  (focused?.closest("[role=dialog]") ?? document.body).append(holder);
  holder.select();
  const copied = document.execCommand("copy");
  holder.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
