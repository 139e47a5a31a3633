/** What others wrote must not move the cursor or set colours of the reader's terminal. */
export function printableText(text: string): string {
  return text.replaceAll(CONTROLS, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for; tab and newline are harmless
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
