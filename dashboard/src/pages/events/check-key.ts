const MAX_CHARACTERS = 512;

/** Why a text is not a valid event key, with the byte of the first error; undefined if it is valid. */
export function keyIssue(key: string): string | undefined {
  if (key === "") return "Enter a key of at least one character.";
  if (key === "." || key === "..") return "A key must not be . or ..";
  const letters = [...key];
  const control = letters.findIndex((letter) => isControl(letter.codePointAt(0) ?? 0));
  if (control !== -1) return `Control character at byte ${bytesBefore(letters, control)}.`;
  if (letters.length > MAX_CHARACTERS)
    return `${letters.length} characters, maximum ${MAX_CHARACTERS}. The excess starts at byte ${bytesBefore(letters, MAX_CHARACTERS)}.`;
  return undefined;
}

function isControl(code: number): boolean {
  return code < 32 || (code >= 127 && code < 160);
}

function bytesBefore(letters: string[], nth: number): number {
  return new TextEncoder().encode(letters.slice(0, nth).join("")).length;
}
