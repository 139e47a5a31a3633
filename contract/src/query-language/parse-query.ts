import { RUN_STATUSES, TRIGGER_TYPES } from "../runs/runs.ts";
import { MAX_TAG_FILTER_LENGTH } from "../schema/fields.ts";
import { readCount, readDurationBound, readTime } from "./amounts.ts";
import { readTokens, type Token } from "./tokens.ts";
import {
  IS_VALUES,
  type ParsedQuery,
  QueryError,
  type QueryIssue,
  type QueryTerm,
  type RunCondition,
  WORD_KEYS,
} from "./types.ts";
import { type Part, readJsonValue, readList, readPart } from "./values.ts";

export const MAX_QUERY_LENGTH = 2_000;

/**
 * Parses a query such as `status:failed -tag:noise payload.user.id:42 since:24h`. Terms are joined by "and". Never
 * throws: returns every issue with its span, so that an editor can underline it.
 */
export function parseQuery(text: string): ParsedQuery {
  const issues: QueryIssue[] = [];
  const terms: QueryTerm[] = [];
  const note = (error: QueryError) => void issues.push(error.issue);
  if (text.length > MAX_QUERY_LENGTH) {
    return { ok: false, issues: [{ start: MAX_QUERY_LENGTH, end: text.length, message: "the query is too long" }] };
  }
  for (const token of readTokens(text, note)) {
    try {
      terms.push({ start: token.start, end: token.end, condition: readTerm(token) });
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      note(error);
    }
  }
  return issues.length > 0 ? { ok: false, issues: dropOverlapping(issues) } : { ok: true, terms };
}

/** Reports an unclosed value once, although it is also an invalid value. */
function dropOverlapping(issues: QueryIssue[]): QueryIssue[] {
  return issues
    .filter((issue, nth) => !issues.slice(0, nth).some(({ start, end }) => start < issue.end && issue.start < end))
    .sort((a, b) => a.start - b.start);
}

function readTerm(token: Token): RunCondition {
  const negated = token.text.startsWith("-") && token.text.length > 1;
  const start = token.start + (negated ? 1 : 0);
  const text = negated ? token.text.slice(1) : token.text;
  const colon = text.startsWith('"') ? -1 : endOfKey(text);
  if (colon === -1) return { key: "text", negated, text: readPart(text, start).text };

  const value: Value = { text: text.slice(colon + 1), start: start + colon + 1, end: token.end };
  const key = text.slice(0, colon);
  if (value.text === "") throw new QueryError("a value is missing", token);
  if (key === "payload" || key.startsWith("payload.")) {
    const path = readPath(key, start);
    return { key: "payload", negated, path, value: readJsonValue(value.text, value.start) };
  }
  const reader = READERS[key];
  if (!reader || !Object.hasOwn(READERS, key)) {
    const message = `unknown key "${key}" (use one of ${KEYS.join(", ")}); put text that contains a colon in quotes`;
    throw new QueryError(message, { start, end: start + Math.max(colon, 1) });
  }
  return reader(value, negated, token);
}

/** The colon after the key. Names in a payload path may be quoted and contain colons themselves. */
function endOfKey(text: string): number {
  if (!text.startsWith('payload."') && !text.startsWith("payload.")) return text.indexOf(":");
  for (let at = 0, isQuoted = false; at < text.length; at++) {
    if (isQuoted && text[at] === "\\") at += 1;
    else if (text[at] === '"' && (isQuoted || text[at - 1] === ".")) isQuoted = !isQuoted;
    else if (text[at] === ":" && !isQuoted) return at;
  }
  return -1;
}

function readPath(key: string, start: number): string[] {
  if (key === "payload") return [];
  const names: string[] = [];
  for (let at = "payload".length; at < key.length; ) {
    const [segment] = SEGMENT.exec(key.slice(at)) ?? [];
    const span = { start: start + at, end: start + key.length };
    if (segment === undefined) throw new QueryError("is not a path such as payload.user.id", span);
    names.push(readPart(segment.slice(1), start + at + 1).text);
    at += segment.length;
  }
  return names;
}

const SEGMENT = /^\.("(?:[^"\\]|\\.)*"(?=\.|$)|[^".][^.]*)/;

type Value = Token;
type Reader = (value: Value, negated: boolean, token: Token) => RunCondition;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ID_KEYS: ReadonlySet<string> = new Set(["batch", "workflow", "parent", "replay", "schedule"]);
const MAX_WORD_LENGTH: Record<string, number> = { tag: MAX_TAG_FILTER_LENGTH, job: 63, env: 63, version: 63 };

const READERS: Record<string, Reader> = {
  status: (value, negated) => ({
    key: "status",
    negated,
    values: readList(value.text, value.start).map(oneOf(RUN_STATUSES)),
  }),
  trigger: (value, negated) => ({
    key: "trigger",
    negated,
    values: readList(value.text, value.start).map(oneOf(TRIGGER_TYPES)),
  }),
  is: (value, negated) => ({ key: "is", negated, value: oneOf(IS_VALUES)(readPart(value.text, value.start)) }),
  error: (value, negated) => ({ key: "error", negated, ...readTexts(readList(value.text, value.start)) }),
  duration: (value, negated) => ({ key: "duration", negated, ...readDurationBound(value.text, value) }),
  attempts: (value, negated) => ({ key: "attempts", negated, ...readCount(value.text, value) }),
  since: (value, negated, token) => ({ key: "since", ...readTime(value.text, refuseNegation(value, negated, token)) }),
  until: (value, negated, token) => ({ key: "until", ...readTime(value.text, refuseNegation(value, negated, token)) }),
  ...Object.fromEntries(WORD_KEYS.map((key) => [key, wordReader(key)])),
};

const KEYS = [...Object.keys(READERS), "payload"];

/** Each text is searched in the errors of every scanned run, without an index. */
const MAX_TEXTS = 20;

function readTexts(parts: Part[]): { text: string; or?: string[] } {
  const tooMany = parts[MAX_TEXTS];
  if (tooMany) throw new QueryError(`exceeds the limit of ${MAX_TEXTS} values`, tooMany);
  const [text = "", ...or] = parts.map((part) => part.text);
  return or.length > 0 ? { text, or } : { text };
}

function wordReader(key: (typeof WORD_KEYS)[number]): Reader {
  return (value, negated) => ({
    key,
    negated,
    values: readList(value.text, value.start).map((part) => readWord(key, part)),
  });
}

function readWord(key: string, part: Part): string {
  if (ID_KEYS.has(key) && !UUID.test(part.text)) throw new QueryError("must be an id (a UUID in lower case)", part);
  if (key === "version" && !UUID.test(part.text) && !/^[1-9]\d{0,8}$/.test(part.text)) {
    throw new QueryError("must be a version number or id", part);
  }
  if (part.text.length > (MAX_WORD_LENGTH[key] ?? 256)) throw new QueryError("is too long", part);
  return part.text;
}

function oneOf<const T extends string>(values: readonly T[]) {
  return (part: Part): T => {
    const found = values.find((value) => value === part.text);
    if (found === undefined) throw new QueryError(`must be one of ${values.join(", ")}`, part);
    return found;
  };
}

function refuseNegation(value: Value, negated: boolean, token: Token): Value {
  if (!negated) return value;
  throw new QueryError("since and until cannot be negated: use the other one", token);
}
