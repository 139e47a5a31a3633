import { Buffer, isUtf8 } from "node:buffer";
import { runSync } from "../time-slices.ts";
import { findJsonProblem } from "./inspect-json.ts";
import type { JsonLimits, JsonProblem } from "./json-location.ts";
import { scanJson } from "./scan-json.ts";
import { surveyJson } from "./survey-json.ts";

export type ParsedJson = { ok: true; value: unknown } | { ok: false; problem: JsonProblem };

/** In characters: a text up to this size is checked in every way within milliseconds. */
const LARGE = 131_072;
/** Cost limits of a request. `root` is the first word of every location. */
const JSON_LIMITS: JsonLimits = { root: "body", depth: 64, nodes: 50_000, key_bytes: 256, unique_keys: true };

/**
 * Parses untrusted JSON and refuses anything that could not be stored as sent: bad UTF-8, U+0000 and lone surrogates,
 * numbers that would be rounded, duplicate keys, and shapes that cost more than their size suggests. JSON.parse does the
 * reading, since one strict pass of our own takes twice as long: CPU time on Node 20, 1 KB order with UUIDs and floats
 * 10 µs (20), 84 KB of them 1.4 ms (3.0), 100 KB in one string 92 µs (650); a reviver 24 µs, 3.8 ms, 96 µs, and it sees
 * neither duplicate keys nor the digits of a number.
 */
export function parseJson(input: string | Buffer, limits?: Partial<JsonLimits>): ParsedJson {
  return runSync(readJson(input, limits));
}

/** The same for `inSlices`: each part of a megabyte with 50,000 names takes 10 to 30 ms. */
export function* readJson(input: string | Buffer, limits?: Partial<JsonLimits>): Generator<void, ParsedJson> {
  const all = limits === undefined ? JSON_LIMITS : { ...JSON_LIMITS, ...limits };
  if (typeof input !== "string" && !isUtf8(input)) return malformed(all, describeBadUtf8(input));
  const text = typeof input === "string" ? input : input.toString("utf8");
  if (text.charCodeAt(0) === 0xfeff) return malformed(all, "starts with a byte order mark (line 1, column 1)");

  const excess = text.length > LARGE ? findExcess(text, all) : undefined;
  if (excess !== undefined) return tooComplex(all, excess);
  yield;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuseSyntax(text, all, error);
  }

  yield;
  const survey = yield* surveyJson(value, text, all);
  if (!survey.isRepeated && !survey.isSuspicious) return { ok: true, value };
  yield;
  const repeated = survey.isRepeated ? scanJson(text, all.root, true) : undefined;
  if (repeated?.kind === "repeated") return { ok: false, problem: repeated };
  const problem = findJsonProblem(value, all);
  if (problem) return { ok: false, problem };
  yield;
  const number = findNumberProblem(text, all);
  return number ? { ok: false, problem: number } : { ok: true, value };
}

function malformed({ root }: JsonLimits, message: string): ParsedJson {
  return { ok: false, problem: { kind: "malformed", location: root, message } };
}

/** The first byte that decoding had to replace, as opposed to a U+FFFD that was sent. */
function describeBadUtf8(input: Buffer): string {
  let offset = 0;
  for (const segment of input.toString("utf8").split("\ufffd")) {
    offset += Buffer.byteLength(segment);
    if (input.readUIntBE(offset, Math.min(3, input.length - offset)) !== 0xefbfbd) break;
    offset += 3;
  }
  return `is not valid UTF-8 (byte ${offset})`;
}

function refuseSyntax(text: string, limits: JsonLimits, error: unknown): ParsedJson {
  if (error instanceof RangeError) return tooComplex(limits, "is nested too deeply");
  if (text.trim() === "") return malformed(limits, "is empty, JSON was expected");

  // V8 shows the text around the error; finding its position would take as long as parsing ten times.
  if (text.length > LARGE) return malformed(limits, `is not valid JSON: ${(error as Error).message}`);
  const issue = scanJson(text, limits.root);
  if (issue?.kind !== "malformed") return malformed(limits, "is not valid JSON");
  const before = text.slice(0, issue.position).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return malformed(limits, `is not valid JSON: ${issue.message} (line ${before.length}, column ${column})`);
}

/** Refuses obvious excess before parsing: V8 takes 0.1 s for a megabyte of `[`, and as long for 100,000 names. */
function findExcess(text: string, { nodes, depth: max }: JsonLimits): string | undefined {
  let [depth, commas] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) commas++;
    else if (code === OPEN_LIST || code === OPEN_MAP) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_MAP) depth--;
    if (depth > MAX_DEPTH) return `is nested more than ${max} levels deep`;
  }
  return commas < nodes ? undefined : `has more than ${nodes} values`;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];
const MAX_DEPTH = 1_000;

/** The position of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

function tooComplex({ root }: JsonLimits, message: string): ParsedJson {
  return { ok: false, problem: { kind: "shape", location: root, message } };
}

function findNumberProblem(text: string, { root }: JsonLimits): JsonProblem | undefined {
  const issue = scanJson(text, root);
  if (issue === undefined || issue.kind === "repeated") return undefined;
  // After a successful parse the scan can only fail on nesting hidden by a later duplicate key, where those are
  // allowed.
  if (issue.kind === "malformed") return { kind: "shape", location: root, message: issue.message };
  return { kind: "number", location: issue.location, message: issue.message, value: issue.literal.slice(0, 64) };
}
