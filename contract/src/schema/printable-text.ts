/** Escapes control characters, so that untrusted text cannot move the cursor or set colors. */
export function printableText(text: string): string {
  return text.replaceAll(CONTROLS, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters; tab and newline are harmless
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
