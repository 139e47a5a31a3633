import type { Locator } from "playwright-core";

/**
 * Replaces the text of a code editor as a user does. `fill` inserts like an input method, for which Chromium keeps the
 * colors of the replaced text in a style attribute, and the Content Security Policy reports that.
 */
export async function writeCode(editor: Locator, text: string): Promise<void> {
  await editor.focus();
  await editor.press("ControlOrMeta+a");
  await editor.press("Delete");
  await editor.page().keyboard.insertText(text);
}
