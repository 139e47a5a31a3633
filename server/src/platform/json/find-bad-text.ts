/**
 * Returns the issue of a text that PostgreSQL cannot store, or undefined. For path parameters, query strings and JSON
 * strings: `text` and `jsonb` accept neither U+0000 nor lone surrogates.
 */
export function findBadText(value: string): string | undefined {
  const nul = value.indexOf("\u0000");
  if (nul >= 0) return `contains the character U+0000 at position ${nul}`;
  if (!value.isWellFormed()) return `contains a lone surrogate at position ${findLoneSurrogate(value)}`;
  return undefined;
}

function findLoneSurrogate(value: string): number {
  return value.search(/\p{Surrogate}/u);
}
