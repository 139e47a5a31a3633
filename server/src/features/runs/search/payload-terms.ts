import { fold, hash, hashPart } from "./term-hash.ts";

/** A part of a text that is one JSON value, as `JSON.stringify` or PostgreSQL writes it: no blank before a colon. */
export type JsonPart = { text: string; from: number; to: number };

const [QUOTE, BACKSLASH, COLON, ZERO, NINE] = [34, 92, 58, 48, 57];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, COMMA, BLANK] = [91, 93, 123, 125, 44, 32];

/**
 * Appends to `terms` one for each value with its path; as with containment, list positions do not count. Reads the text
 * without building the value: that was most of what indexing allocated. Terms may be repeated; null if more than `max`
 * are different, after reading only a little more.
 */
export function appendPayloadTerms(terms: number[], seed: number, json: JsonPart, max: number): number[] | null {
  const { text, to } = json;
  const above: number[] = [];
  let found = terms;
  let checkAt = max;
  let path = seed;
  for (let at = json.from; at < to; ) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === COLON || code === BLANK) at++;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      above.push(path);
      at++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      path = above.pop() ?? seed;
      at++;
    } else {
      const end = code === QUOTE ? endOfString(text, at) : endOfWord(text, at, to);
      if (text.charCodeAt(end) === COLON) path = hashString(above[above.length - 1] ?? seed, text, at, end);
      else
        found.push(
          fold(code === QUOTE ? hashString(hash(path, "string"), text, at, end) : hashWord(path, text, at, end)),
        );
      at = end;
    }
    if (found.length <= checkAt) continue;
    found = [...new Set(found)];
    if (found.length > max) return null;
    checkAt = found.length + max;
  }
  return found;
}

/** The position behind the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
}

/** The position behind a number, `true`, `false` or `null`. */
function endOfWord(text: string, start: number, to: number): number {
  for (let at = start + 1; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || code === BLANK) return at;
  }
  return to;
}

/** Of the string between two quotes. */
function hashString(start: number, text: string, from: number, to: number): number {
  for (let at = from + 1; at < to - 1; at++)
    if (text.charCodeAt(at) === BACKSLASH) return hash(start, JSON.parse(text.slice(from, to)));
  return hashPart(start, text, from + 1, to - 1);
}

/** Longer integers, fractions, exponents and signs have several notations. */
const PLAIN_DIGITS = 15;

function hashWord(path: number, text: string, from: number, to: number): number {
  if (isPlain(text, from, to)) return hashPart(hash(path, "number"), text, from, to);
  const value: unknown = JSON.parse(text.slice(from, to));
  return hash(hash(path, typeof value), String(value));
}

function isPlain(text: string, from: number, to: number): boolean {
  if (to - from > PLAIN_DIGITS) return false;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}
