import { findInexactNumber } from "./exact-number.ts";
import type { JsonLimits } from "./json-location.ts";
import { skipSpace } from "./scan-json.ts";

/** What a fast look at a value and its text has found. */
type JsonSurvey = {
  /** The text has more keys than the value: one of them occurs twice. */
  isRepeated: boolean;
  /** There may be something else to refuse: the exact checks must run. Never false when there is. */
  isSuspicious: boolean;
};

/**
 * Looks at a value that JSON.parse has returned, and once through its text. The value shows shape and depth; only the
 * text shows keys that the value has lost and numbers that were rounded. Both together take a third of the time of the
 * parse.
 */
export function* surveyJson(value: unknown, text: string, limits: JsonLimits): Generator<void, JsonSurvey> {
  const seen: Seen = { nodes: 0, keys: 0, suspicious: false, zero: false };
  visit(value, 0, limits, seen);
  yield;
  const { keys, mayBeRounded } = surveyText(text, seen.zero);
  return {
    isRepeated: limits.unique_keys && keys !== seen.keys,
    isSuspicious: seen.suspicious || seen.nodes > limits.nodes || mayBeRounded || mayHoldBadText(text),
  };
}

type Seen = { nodes: number; keys: number; suspicious: boolean; zero: boolean };

// Recursion ends at the depth limit, so it cannot exhaust the stack.
function visit(value: unknown, depth: number, limits: JsonLimits, seen: Seen): void {
  seen.nodes++;
  if (typeof value === "number") visitNumber(value, seen);
  if (typeof value !== "object" || value === null) return;
  if (depth >= limits.depth || seen.nodes > limits.nodes) {
    seen.suspicious = true;
    return;
  }

  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) visit(value[i], depth + 1, limits, seen);
    return;
  }
  for (const key in value) {
    seen.keys++;
    if (key.length * MAX_BYTES_PER_UNIT > limits.key_bytes || key === "__proto__") seen.suspicious = true;
    visit((value as Record<string, unknown>)[key], depth + 1, limits, seen);
  }
}

const MAX_BYTES_PER_UNIT = 3;

// A literal of at most 15 digits is rounded only near zero (subnormal or 0) or beyond the safe integers.
function visitNumber(value: number, seen: Seen): void {
  const size = Math.abs(value);
  if (size === 0) seen.zero = true;
  else if (!(size <= Number.MAX_SAFE_INTEGER && size > 1e-290)) seen.suspicious = true;
}

/**
 * Counts the keys, and looks for rounded numbers in the gaps between strings. Strings are skipped by native search: a
 * megabyte in one string costs 1 ms. Comparing the first characters one by one was slower.
 */
function surveyText(text: string, hasZero: boolean): { keys: number; mayBeRounded: boolean } {
  let [keys, mayBeRounded, gap] = [0, false, 0];
  for (;;) {
    const quote = text.indexOf('"', gap);
    const end = quote < 0 ? text.length : quote;
    if (end - gap >= SHORTEST) mayBeRounded ||= holdsRounded(text, gap, end, hasZero);
    if (quote < 0) return { keys, mayBeRounded };
    gap = endOfString(text, quote);
    if (text.charCodeAt(skipSpace(text, gap)) === COLON) keys++;
  }
}

/** In characters: `1e-400` is parsed as 0. */
const SHORTEST = 6;
const DEEP_EXPONENT = /\d[eE]-\d{3}/;

function holdsRounded(text: string, start: number, end: number, hasZero: boolean): boolean {
  if (hasZero && holdsUnderflow(text, start, end)) return true;
  return end - start >= LONG && holdsLongRounded(text, start, end);
}

function holdsUnderflow(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (text.charCodeAt(at) === MINUS && DEEP_EXPONENT.test(text.slice(Math.max(start, at - 2), at + 4))) return true;
  }
  return false;
}

const LONG = 16;

/**
 * Is there a literal of 16 digits or more that would be rounded? Such a run covers every 16th character, so only those
 * are tested.
 */
function holdsLongRounded(text: string, start: number, end: number): boolean {
  for (let at = start + LONG - 1; at < end; at += LONG) {
    if (!isDigitOrDot(text.charCodeAt(at))) continue;
    let [first, last] = [at, at + 1];
    while (first > start && isDigitOrDot(text.charCodeAt(first - 1))) first--;
    while (last < end && isDigitOrDot(text.charCodeAt(last))) last++;
    if (last - first >= LONG && findInexactNumber(literalAt(text, first, last)) !== undefined) return true;
    at = Math.max(at, last - 1);
  }
  return false;
}

const EXPONENT = /[eE][-+]?\d+/y;

function literalAt(text: string, first: number, last: number): string {
  EXPONENT.lastIndex = last;
  return text.slice(first, EXPONENT.test(text) ? EXPONENT.lastIndex : last);
}

function isDigitOrDot(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === DOT;
}

const [BACKSLASH, COLON, DOT, MINUS] = [0x5c, 0x3a, 0x2e, 0x2d];

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

function mayHoldBadText(text: string): boolean {
  return (text.includes("\\u") && RISKY_ESCAPE.test(text)) || !text.isWellFormed();
}

const RISKY_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;
