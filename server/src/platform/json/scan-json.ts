import { findInexactNumber } from "./exact-number.ts";
import { indexLocation, keyLocation } from "./json-location.ts";

export type ScanFault =
  | { kind: "malformed"; position: number; message: string }
  | { kind: "number"; location: string; message: string; literal: string };

/**
 * The first fault of a JSON text that native parsing does not tell: the exact place of a syntax error (V8 leaves it out
 * of most messages) or a number that would be rounded. Strict, without recursion, and some 10 times slower than
 * JSON.parse: called only when there is a reason.
 */
export function scanJson(text: string, root: string): ScanFault | undefined {
  const frames: Frame[] = [];
  let position = 0;
  let expected: Expected = "value";

  while (true) {
    position = skipSpace(text, position);
    const char = text[position];
    if (expected === "end" && char === undefined) return undefined;
    if (frames.length > DEEPEST) return { kind: "malformed", position, message: "nested too deeply" };

    const token = TOKENS[expected](text, position, frames);
    if (token === undefined) return malformed(text, position, expected);

    if (token.kind === "number") {
      const literal = text.slice(position, token.end);
      const message = findInexactNumber(literal);
      if (message) return { kind: "number", location: locate(frames, root), message, literal };
    }
    position = token.end;
    expected = token.next;
  }
}

// Far beyond the accepted depth: keeps a megabyte of `[` from costing a third of a second.
const DEEPEST = 1_000;

type Frame = { key: string } | { index: number };
type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or end of container" | "end";
type Token = { kind: "number" | "other"; end: number; next: Expected };

const TOKENS: Record<Expected, (text: string, position: number, frames: Frame[]) => Token | undefined> = {
  value: readValue,
  "value or ]": (text, position, frames) =>
    text[position] === "]" ? close(position, frames) : readValue(text, position, frames),
  key: readKey,
  "key or }": (text, position, frames) =>
    text[position] === "}" ? close(position, frames) : readKey(text, position, frames),
  ":": (text, position) => (text[position] === ":" ? other(position + 1, "value") : undefined),
  ", or end of container": readSeparator,
  end: () => undefined,
};

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

function readValue(text: string, position: number, frames: Frame[]): Token | undefined {
  const char = text[position];
  if (char === "{") {
    frames.push({ key: "" });
    return other(position + 1, "key or }");
  }
  if (char === "[") {
    frames.push({ index: 0 });
    return other(position + 1, "value or ]");
  }

  const kind = char === '"' || char === "t" || char === "f" || char === "n" ? "other" : "number";
  const end = char === '"' ? readString(text, position) : match(kind === "number" ? NUMBER : WORD, text, position);
  return end === undefined ? undefined : { kind, end, next: afterValue(frames) };
}

function readKey(text: string, position: number, frames: Frame[]): Token | undefined {
  const end = readString(text, position);
  if (end === undefined) return undefined;
  frames[frames.length - 1] = { key: text.slice(position, end) };
  return other(end, ":");
}

// A loop, because one pattern over a string of a megabyte would exhaust the stack of the expression engine.
function readString(text: string, position: number): number | undefined {
  if (text[position] !== '"') return undefined;
  let at = position + 1;
  while (true) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (!(code >= 0x20)) return undefined;
    const end = code === 0x5c ? match(ESCAPE, text, at) : at + 1;
    if (end === undefined) return undefined;
    at = end;
  }
}

function readSeparator(text: string, position: number, frames: Frame[]): Token | undefined {
  const frame = frames.at(-1);
  const char = text[position];
  if (frame === undefined) return undefined;
  if (char === ("key" in frame ? "}" : "]")) return close(position, frames);
  if (char !== ",") return undefined;
  if ("key" in frame) return other(position + 1, "key");
  frame.index++;
  return other(position + 1, "value");
}

function close(position: number, frames: Frame[]): Token {
  frames.pop();
  return other(position + 1, afterValue(frames));
}

function afterValue(frames: readonly Frame[]): Expected {
  return frames.length === 0 ? "end" : ", or end of container";
}

function other(end: number, next: Expected): Token {
  return { kind: "other", end, next };
}

function match(pattern: RegExp, text: string, position: number): number | undefined {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function skipSpace(text: string, position: number): number {
  return match(SPACE, text, position) ?? position;
}

function malformed(text: string, position: number, expected: Expected): ScanFault {
  if (text[position] === '"' && /value|key/.test(expected)) {
    return { kind: "malformed", position, message: "a string has no end, a bad escape or a control character" };
  }
  const found = position >= text.length ? "the text ends here" : `found ${JSON.stringify(text[position])}`;
  return { kind: "malformed", position, message: `expected ${expected}, ${found}` };
}

// Keys are kept as written and decoded only here: most scans end without a fault.
function locate(frames: readonly Frame[], root: string): string {
  return frames.reduce(
    (location, frame) =>
      "key" in frame ? keyLocation(location, JSON.parse(frame.key) as string) : indexLocation(location, frame.index),
    root,
  );
}
