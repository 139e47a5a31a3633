import { Buffer } from "node:buffer";
import { findInexactNumber } from "./exact-number.ts";
import { findBadText } from "./find-bad-text.ts";
import { indexLocation, type JsonLimits, type JsonProblem, keyLocation } from "./json-location.ts";
import { skipSpace } from "./scan-json.ts";

/** One fast pass over the parsed value. */
export function surveyJson(value: unknown, limits: JsonLimits): JsonSurvey {
  const seen: JsonSurvey = { nodes: 0, keys: 0, suspicious: false, zero: false };
  visit(value, 0, limits, seen);
  return seen;
}

/** True: certainly nothing to refuse. False: the exact checks must run. */
export function looksClean(seen: JsonSurvey, text: string, limits: JsonLimits): boolean {
  if (seen.suspicious || seen.nodes > limits.nodes) return false;
  if (seen.zero && mayHoldUnderflow(text)) return false;
  return !mayHoldRoundedNumber(text) && !mayHoldBadText(text);
}

/** The first issue of shape or text with its location, or undefined. */
export function findJsonProblem(value: unknown, limits: JsonLimits): JsonProblem | undefined {
  const found = inspect(value, 0, { limits, nodes: 0 });
  if (!found) return undefined;
  const { path, isWhole: _, ...problem } = found;
  const location = path.reduceRight<string>(
    (above, step) => (typeof step === "number" ? indexLocation(above, step) : keyLocation(above, step)),
    limits.root,
  );
  return { ...problem, location };
}

type JsonSurvey = { nodes: number; keys: number; suspicious: boolean; zero: boolean };

// Recursion ends at the depth limit, so it cannot exhaust the stack.
function visit(value: unknown, depth: number, limits: JsonLimits, seen: JsonSurvey): void {
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
function visitNumber(value: number, seen: JsonSurvey): void {
  const size = Math.abs(value);
  if (size === 0) seen.zero = true;
  else if (!(size <= Number.MAX_SAFE_INTEGER && size > 1e-290)) seen.suspicious = true;
}

// `1e-400` is parsed as 0. UUIDs are full of `e-4`, so the preceding character decides.
function mayHoldUnderflow(text: string): boolean {
  if (!text.includes("e-") && !text.includes("E-")) return false;
  for (const match of text.matchAll(DEEP_EXPONENT)) {
    if (startsNumber(text, startOfRun(text, match.index))) return true;
  }
  return false;
}

const DEEP_EXPONENT = /\d[eE]-\d{3}/g;
const LONG = 16;

/**
 * Is there a literal of 16 digits or more that would be rounded? Such a run covers every 16th character, so only those
 * are tested: 1.5 µs for 2 KB where a regular expression takes 4 µs. Most digit runs inside strings are recognized by
 * the character before them; the rest costs an exact scan, never a wrong result.
 */
function mayHoldRoundedNumber(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigitOrDot(text.charCodeAt(at))) continue;
    const start = startOfRun(text, at);
    let end = at + 1;
    while (end < text.length && isDigitOrDot(text.charCodeAt(end))) end++;
    if (end - start >= LONG && isRoundedNumber(text, start, end)) return true;
    at = Math.max(at, end - 1);
  }
  return false;
}

function isRoundedNumber(text: string, start: number, end: number): boolean {
  // Outside of strings a number begins with a digit: a row of dots is text.
  if (text.charCodeAt(start) === DOT || !startsNumber(text, start)) return false;
  EXPONENT.lastIndex = end;
  const literal = text.slice(start, EXPONENT.test(text) ? EXPONENT.lastIndex : end);
  return findInexactNumber(literal) !== undefined;
}

const DOT = 0x2e;
const EXPONENT = /[eE][-+]?\d+/y;
function startOfRun(text: string, at: number): number {
  let start = at;
  while (start > 0 && isDigitOrDot(text.charCodeAt(start - 1))) start--;
  return start;
}

function startsNumber(text: string, start: number): boolean {
  return START_OF_NUMBER.test(text.slice(Math.max(0, start - 2), start));
}

const START_OF_NUMBER = /(?:^|[[,:\s])-?$/;

function isDigitOrDot(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === DOT;
}

function mayHoldBadText(text: string): boolean {
  return (text.includes("\\u") && RISKY_ESCAPE.test(text)) || !text.isWellFormed();
}

const RISKY_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

type Inspection = { limits: JsonLimits; nodes: number };
/** With its path from the inside out, added on the way back: 49,000 values without an issue need no locations. */
type Found = Omit<JsonProblem, "location"> & { path: (string | number)[]; isWhole?: true };

function inspect(value: unknown, depth: number, state: Inspection): Found | undefined {
  const { limits } = state;
  if (++state.nodes > limits.nodes) {
    return { kind: "shape", path: [], isWhole: true, message: `has more than ${limits.nodes} values` };
  }
  if (typeof value === "string") return inspectText(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= limits.depth) {
    return { kind: "shape", path: [], message: `is nested more than ${limits.depth} levels deep` };
  }

  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = inspect(value[i], depth + 1, state);
      if (found) return within(i, found);
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const issue = inspectKey(key, limits);
    if (issue) return issue;
    const found = inspect((value as Record<string, unknown>)[key], depth + 1, state);
    if (found) return within(key, found);
  }
  return undefined;
}

function within(step: string | number, found: Found): Found {
  if (!found.isWhole) found.path.push(step);
  return found;
}

function inspectKey(key: string, limits: JsonLimits): Found | undefined {
  if (Buffer.byteLength(key) > limits.key_bytes) {
    const message = `has a key longer than ${limits.key_bytes} bytes`;
    return { kind: "shape", path: [], message, value: key.slice(0, 64).toWellFormed() };
  }
  if (key === "__proto__") return { kind: "shape", path: [key], message: "is not a usable key" };

  const bad = findBadText(key);
  return bad ? { kind: "text", path: [key], message: `has a key that ${bad}` } : undefined;
}

function inspectText(value: string): Found | undefined {
  const bad = findBadText(value);
  return bad ? { kind: "text", path: [], message: bad } : undefined;
}

/**
 * Counts the keys of a text that JSON.parse has accepted. The parsed value has fewer if there are duplicates. Strings
 * are skipped by native search: a megabyte in one string costs 1 ms, 1 KB of short fields 6 µs, a third of all other
 * checks and parsing. Comparing the first characters one by one was slower.
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

const [BACKSLASH, COLON] = [0x5c, 0x3a];

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
