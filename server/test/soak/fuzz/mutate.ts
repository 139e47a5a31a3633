import type { Choices } from "../differential/choices.ts";

const MAX_LENGTH = 4_096;

/** One to four changes of a known text: a word inserted, a part removed, repeated, or taken from another text. */
export function mutate({ one, upTo }: Choices, corpus: string[], words: string[]): string {
  let text = one(corpus);
  for (let count = 1 + upTo(3); count > 0; count--) {
    const [at, length] = [upTo(text.length), upTo(8)];
    const [before, part, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
    const other = one(corpus);
    const from = upTo(other.length);
    text = one([
      () => before + one(words) + part + after,
      () => before + one(words) + after,
      () => before + after,
      () => before + part.repeat(1 + upTo(30)) + after,
      () => before + other.slice(from, from + upTo(40)) + part + after,
      () => before + String.fromCharCode(upTo(127)) + part + after,
    ])();
  }
  return text.slice(0, MAX_LENGTH);
}
