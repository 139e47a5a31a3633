import { findInexactNumber } from "./exact-number.ts";
import { indexLocation, keyLocation } from "./json-location.ts";

export type ScanIssue =
  | { kind: "malformed"; position: number; message: string }
  | { kind: "number"; location: string; message: string; literal: string }
  | { kind: "repeated"; location: string; message: string };

/**
 * Finds the first issue of a JSON text that native parsing does not report: the exact position of a syntax error (V8
 * leaves it out of most messages) or a number that would be rounded; `forKeys`: a duplicate key instead of a number.
 * Strict, without recursion, and without an object per token: a megabyte takes 40 ms. Called only when needed.
 */
export function scanJson(text: string, root: string, forKeys = false): ScanIssue | undefined {
  const frames: Frames = { keys: [], indexes: [], names: [] };
  let position = 0;
  let expected: Expected = "value";
  for (;;) {
    position = skipSpace(text, position);
    const code = text.charCodeAt(position);
    if (expected === "end") return Number.isNaN(code) ? undefined : malformed(text, position, expected);
    if (frames.keys.length > MAX_DEPTH && !forKeys)
      return { kind: "malformed", position, message: "nested too deeply" };

    let end = -1;
    if (expected === "value" || (expected === "value or ]" && code !== CLOSE_LIST)) {
      if (code === OPEN_MAP || code === OPEN_LIST) {
        open(frames, code);
        expected = code === OPEN_MAP ? "key or }" : "value or ]";
        position++;
        continue;
      }
      end = endOfPlain(text, position, code);
      const literal = !forKeys && end > 0 && mayBeInexact(text, position, end) ? text.slice(position, end) : undefined;
      const message = literal === undefined ? undefined : findInexactNumber(literal);
      if (literal !== undefined && message)
        return { kind: "number", location: locate(text, frames, root), message, literal };
      expected = end < 0 ? expected : afterValue(frames);
    } else if (expected === "key" || (expected === "key or }" && code !== CLOSE_MAP)) {
      end = endOfString(text, position);
      frames.keys[frames.keys.length - 1] = position;
      if (forKeys && end > 0 && isRepeated(frames, readKey(text, position)))
        return { kind: "repeated", location: locate(text, frames, root), message: "is a duplicate key" };
      expected = end < 0 ? expected : ":";
    } else if (expected === ":") {
      end = code === COLON ? position + 1 : -1;
      expected = end < 0 ? expected : "value";
    } else if (code === COMMA && expected === "a comma or closing bracket") {
      end = position + 1;
      expected = next(frames);
    } else if (code === closing(frames)) {
      end = position + 1;
      frames.keys.pop();
      frames.indexes.pop();
      frames.names.pop();
      expected = afterValue(frames);
    }
    if (end < 0) return malformed(text, position, expected);
    position = end;
  }
}

// Far beyond the accepted depth: keeps a megabyte of `[` from costing a third of a second. Not for keys: a duplicate one may
// hide nesting from the parsed value, and is to be reported.
const MAX_DEPTH = 1_000;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | "a comma or closing bracket" | "end";
/** For each open container: the position of its last key, or -1 for a list; the number of items and the names so far. */
type Frames = { keys: number[]; indexes: number[]; names: (Set<string> | undefined)[] };

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];
const LIST = -1;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function open(frames: Frames, code: number): void {
  frames.keys.push(code === OPEN_LIST ? LIST : 0);
  frames.indexes.push(0);
  frames.names.push(undefined);
}

/** `a` and `\\u0061` are the same key. */
function readKey(text: string, position: number): string {
  return JSON.parse(text.slice(position, endOfString(text, position))) as string;
}

function isRepeated({ names }: Frames, key: string): boolean {
  const last = names.length - 1;
  const before = names[last] ?? new Set();
  names[last] = before;
  return before.size === before.add(key).size;
}

function next({ keys, indexes }: Frames): Expected {
  const last = keys.length - 1;
  if (keys[last] !== LIST) return "key";
  indexes[last] = (indexes[last] ?? 0) + 1;
  return "value";
}

function closing({ keys }: Frames): number {
  return keys[keys.length - 1] === LIST ? CLOSE_LIST : CLOSE_MAP;
}

function afterValue({ keys }: Frames): Expected {
  return keys.length === 0 ? "end" : "a comma or closing bracket";
}

/** The end of a string, number or word, or -1. */
function endOfPlain(text: string, position: number, code: number): number {
  if (code === QUOTE) return endOfString(text, position);
  if (code === MINUS || isDigit(code)) return endOfNumber(text, position);
  const word = code === 0x74 ? "true" : code === 0x66 ? "false" : "null";
  return text.startsWith(word, position) ? position + word.length : -1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

// A loop, because one pattern over a string of a megabyte would exhaust the regular expression engine's stack.
function endOfString(text: string, position: number): number {
  if (text.charCodeAt(position) !== QUOTE) return -1;
  let at = position + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (!(code >= 0x20)) return -1;
    if (code === BACKSLASH) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return -1;
      at = ESCAPE.lastIndex;
    } else at++;
  }
}

function endOfNumber(text: string, position: number): number {
  let at = text.charCodeAt(position) === MINUS ? position + 1 : position;
  const whole = at;
  at = endOfDigits(text, at);
  if (at === whole) return -1;
  if (text.charCodeAt(whole) === 0x30) at = whole + 1;
  if (text.charCodeAt(at) === DOT && endOfDigits(text, at + 1) > at + 1) at = endOfDigits(text, at + 1);
  if ((text.charCodeAt(at) | 0x20) !== 0x65) return at;
  const sign = text.charCodeAt(at + 1);
  const exponent = sign === MINUS || sign === 0x2b ? at + 2 : at + 1;
  const end = endOfDigits(text, exponent);
  return end > exponent ? end : at;
}

function endOfDigits(text: string, position: number): number {
  let at = position;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** At most 15 characters without an exponent are always exact. */
function mayBeInexact(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(start);
  if (code !== MINUS && !isDigit(code)) return false;
  if (end - start > 15) return true;
  for (let at = start; at < end; at++) if ((text.charCodeAt(at) | 0x20) === 0x65) return true;
  return false;
}

/** The position of the next token. */
export function skipSpace(text: string, position: number): number {
  let at = position;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

function malformed(text: string, position: number, expected: Expected): ScanIssue {
  if (text[position] === '"' && /value|key/.test(expected)) {
    return { kind: "malformed", position, message: "unterminated string, bad escape or control character" };
  }
  const found = position >= text.length ? "the text ends here" : `found ${JSON.stringify(text[position])}`;
  return { kind: "malformed", position, message: `expected ${expected}, ${found}` };
}

// Keys are decoded only here: most scans end without an issue.
function locate(text: string, { keys, indexes }: Frames, root: string): string {
  return keys.reduce((location, key, depth) => {
    if (key === LIST) return indexLocation(location, indexes[depth] ?? 0);
    return keyLocation(location, readKey(text, key));
  }, root);
}
