import { QueryError, type Span } from "./types.ts";

/** Readers of query values. Each throws a QueryError that points at the exact part. */

export type Part = Span & { text: string; isQuoted: boolean };

/** `a,b,"c d"`: the values between the commas. */
export function readList(text: string, start: number): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at <= text.length; ) {
    const end = endOfPart(text, at);
    parts.push(readPart(text.slice(at, end), start + at));
    at = end + 1;
  }
  return parts;
}

/** One value, quoted or not. */
export function readPart(text: string, start: number): Part {
  const span = { start, end: start + text.length };
  if (text === "") throw new QueryError("a value is missing", { start: start - 1, end: start });
  if (!text.startsWith('"')) return { ...span, text: wellFormed(text, span), isQuoted: false };
  const value = parseJsonOrThrow(text, span, 'is not a valid quoted string: write a quote inside it as \\"');
  if (typeof value !== "string") throw new QueryError("is not a quoted string", span);
  if (value === "") throw new QueryError("a value is missing", span);
  return { ...span, text: wellFormed(value, span), isQuoted: true };
}

/** A JSON value, or a bare word as a string: `42` is a number, `"42"` and `alice` are strings. */
export function readJsonValue(text: string, start: number): unknown {
  const span = { start, end: start + text.length };
  if (/^["{[]/.test(text)) return checked(parseJsonOrThrow(text, span, "is not valid JSON"), span);
  if (JSON_WORD.test(text)) return checked(JSON.parse(text), span);
  if (/[,"{}[\]]/.test(text)) throw new QueryError("must be a JSON value; put text in quotes", span);
  return wellFormed(text, span);
}

const JSON_WORD = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;

function endOfPart(text: string, from: number): number {
  let at = from;
  if (text[at] === '"') {
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  }
  const comma = text.indexOf(",", at);
  return comma === -1 ? text.length : comma;
}

function parseJsonOrThrow(text: string, span: Span, message: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new QueryError(message, span);
  }
}

function checked(value: unknown, span: Span): unknown {
  if (typeof value === "string") return wellFormed(value, span);
  if (typeof value === "number") return exact(value, span);
  if (typeof value !== "object" || value === null) return value;
  for (const [name, field] of Object.entries(value)) {
    wellFormed(name, span);
    checked(field, span);
  }
  return value;
}

function exact(value: number, span: Span): number {
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value) || value >= 1e21);
  if (!isExact && Math.abs(value) < 1e21) throw new QueryError("is beyond ±(2^53 − 1): write it in quotes", span);
  if (!Number.isFinite(value)) throw new QueryError("is too large for a number: write it in quotes", span);
  return value;
}

/** PostgreSQL stores neither NUL nor unpaired surrogates. */
function wellFormed(text: string, span: Span): string {
  if (text.includes("\u0000") || /\p{Surrogate}/u.test(text))
    throw new QueryError("contains a character that cannot be stored", span);
  return text;
}
