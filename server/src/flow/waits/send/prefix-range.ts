/** All strings with a prefix, as a range in code point order: from `start` to just below `end`. Null: no end. */
export type PrefixRange = { start: string; end: string | null };

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** The prefix is taken literally: no character in it is special. */
export function prefixRange(prefix: string): PrefixRange {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return { start: prefix, end: null };
  const next = last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1;
  return { start: prefix, end: String.fromCodePoint(...points, next) };
}
