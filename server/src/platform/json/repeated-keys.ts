import { indexLocation, keyLocation } from "./json-location.ts";
import type { JsonLimits, JsonProblem } from "./json-problem.ts";
import { skipSpace } from "./scan-json.ts";

// Both functions read a text that JSON.parse has accepted, so they check nothing but keys.

/**
 * Counts the keys of a text. The parsed value has fewer if there are duplicates. Strings are skipped by native search:
 * a megabyte in one string costs 1 ms, 1 KB of short fields 6 µs, a third of all other checks and parsing. Comparing
 * the first characters one by one was slower.
 */
export function countKeys(text: string): number {
  let keys = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const after = skipSpace(text, endOfString(text, start));
    if (text.charCodeAt(after) === COLON) keys++;
    start = text.indexOf('"', after);
  }
  return keys;
}

/** The first duplicate key, with its location. */
export function findRepeatedKey(text: string, { root }: JsonLimits): JsonProblem | undefined {
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const frame = frames[frames.length - 1];
    if (code === OPEN_MAP) frames.push({ key: undefined, names: undefined, index: -1 });
    else if (code === OPEN_LIST) frames.push({ key: undefined, names: undefined, index: 0 });
    else if (code === CLOSE_MAP || code === CLOSE_LIST) frames.pop();
    else if (code === COMMA && frame && frame.index >= 0) frame.index++;
    if (code !== QUOTE) continue;
    const start = at;
    const end = endOfString(text, start);
    at = end - 1;
    if (!frame || text.charCodeAt(skipSpace(text, end)) !== COLON) continue;
    const key = readKey(text, start, end);
    const isRepeated = frame.names ? frame.names.has(key) : frame.key === key;
    // Most objects have few keys, many have one: the first needs no set.
    if (frame.key !== undefined) frame.names = (frame.names ?? new Set([frame.key])).add(key);
    frame.key = key;
    if (isRepeated) return { kind: "repeated", location: locate(frames, root), message: "is a duplicate key" };
  }
  return undefined;
}

/** An open container: for an object its last key and all before it; for a list the index, which is -1 for an object. */
type Frame = { key: string | undefined; names: Set<string> | undefined; index: number };

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/** `a` and `\\u0061` are the same key. */
function readKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : raw;
}

function locate(frames: readonly Frame[], root: string): string {
  return frames.reduce(
    (location, { key, index }) => (index < 0 ? keyLocation(location, key ?? "") : indexLocation(location, index)),
    root,
  );
}

/** The position after the closing quote. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** By an odd number of backslashes. Each backslash precedes only one quote, so the whole scan stays linear. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}
