import { QueryError, type Span } from "./types.ts";

export type Token = Span & { text: string };

/**
 * Splits a query into words at spaces, except inside quotes and payload JSON. A quote opens only where a value can
 * begin; elsewhere it is an ordinary character.
 */
export function readTokens(text: string, onError: (error: QueryError) => void): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (isSpace(text, at)) {
      at += 1;
      continue;
    }
    const end = endOfToken(text, at, onError);
    tokens.push({ text: text.slice(at, end), start: at, end });
    at = end;
  }
  return tokens;
}

function endOfToken(text: string, start: number, onError: (error: QueryError) => void): number {
  let depth = 0;
  let at = start;
  while (at < text.length && (depth > 0 || !isSpace(text, at))) {
    if (text[at] === '"' && (depth > 0 || opensQuote(text, start, at))) {
      at = endOfQuote(text, at, onError);
      continue;
    }
    depth += depthChange(text, start, at, depth);
    at += 1;
  }
  if (depth > 0) onError(new QueryError("the JSON is not closed", { start, end: text.length }));
  return at;
}

/** Position after the closing quote. */
function endOfQuote(text: string, open: number, onError: (error: QueryError) => void): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  onError(new QueryError("the quote is not closed", { start: open, end: text.length }));
  return text.length;
}

function opensQuote(text: string, start: number, at: number): boolean {
  if (at === start) return true;
  const before = text[at - 1] ?? "";
  if (before === "-") return at - 1 === start;
  return ":,.".includes(before);
}

/** Brackets count from the one that opens the payload value. */
function depthChange(text: string, start: number, at: number, depth: number): number {
  const char = text[at] ?? "";
  if (depth > 0) return "{[".includes(char) ? 1 : "}]".includes(char) ? -1 : 0;
  return "{[".includes(char) && PAYLOAD_KEY.test(text.slice(start, at)) ? 1 : 0;
}

const PAYLOAD_KEY = /^-?payload(\.[\s\S]*)?:$/;

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text[at] ?? "");
}
