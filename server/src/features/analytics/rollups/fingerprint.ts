import { derivedId } from "../../../platform/derived-id.ts";

const MAX_LENGTH = 200;

/** Patterns that differ between failures of the same cause. The order matters: the longest forms first. */
const VARYING: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b[\w.+-]{1,100}@[\w-]{1,100}(?:\.[\w-]{1,100}){1,5}\b/g, "<mail>"],
  [/\b(https?:\/\/[^\s/?#"'<>]{1,200})[^\s"'<>]{0,2000}/gi, "$1"],
  [/"(?:[^"\\\n]|\\.){0,500}"|'[^'\n]{0,500}'|`[^`\n]{0,500}`/g, "<text>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z?)?/g, "<time>"],
  [/\b0x[0-9a-f]{1,64}\b/gi, "<id>"],
  [/\b(?=[a-z_-]{0,40}\d)[\w-]{12,200}\b/gi, "<id>"],
  [/\d+(?:[.,:]\d+)*/g, "<n>"],
];

/** A message without the parts specific to one run: equal for failures of one cause, and free of personal data. */
export function normalize(message: string): string {
  const summary = summarizeJson(message.slice(0, 2_000));
  const text = VARYING.reduce((rest, [form, name]) => rest.replace(form, name), summary);
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_LENGTH);
}

export type Failure = {
  job_id: string;
  step_ref: string | null;
  http_status: number | null;
  code: string | null;
  message: string;
};

export function fingerprintOf({ job_id, step_ref, http_status, code, message }: Failure): string {
  return derivedId("failure", job_id, step_ref ?? "", String(http_status ?? ""), code ?? "", message);
}

/**
 * Replaces the JSON in a message by its essential text. An endpoint's response is often a JSON body, cut off somewhere
 * or quoted again by a proxy: what matters is the sentence meant for people, or else the names of its fields.
 */
function summarizeJson(message: string, depth = 0): string {
  const text = unescaped(message);
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (from < 0 || depth === MAX_DEPTH) return text;
  const body = to > from ? parsed(text.slice(from, to + 1)) : undefined;
  if (body === undefined) return withoutQuotes(text);
  return `${text.slice(0, from)}${summarize(body, depth + 1)}${text.slice(to + 1)}`;
}

const MAX_DEPTH = 4;

/** The fields that usually hold the sentence, the best first. */
const SENTENCES = ["message", "error", "detail", "title", "reason", "description", "error_description", "msg"];

function summarize(body: object, depth: number): string {
  if (depth > MAX_DEPTH) return "<data>";
  const fields = body as Record<string, unknown>;
  for (const name of SENTENCES) {
    const value = fields[name];
    if (typeof value === "string" && value.trim() !== "") return summarizeJson(value, depth);
    if (isObject(value)) return summarize(value, depth + 1);
  }
  const shown = Object.entries(fields).map(([name, value]) => `${name}: ${kindOf(value, depth)}`);
  return `{${shown.slice(0, MAX_FIELDS).join(", ")}}`;
}

const MAX_FIELDS = 8;

/** The type of a value, not its content: strings in a body are more often names than reasons. */
function kindOf(value: unknown, depth: number): string {
  if (typeof value === "string") return "<text>";
  if (typeof value === "number") return "<n>";
  if (Array.isArray(value)) return "<list>";
  return isObject(value) ? summarize(value, depth + 1) : String(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A proxy quoted the whole body if every quote in it follows a backslash. */
function unescaped(message: string): string {
  let text = message;
  for (let level = 0; level < MAX_DEPTH && text.includes('\\"') && !/(?<!\\)"/.test(text); level++)
    text = text.replace(/\\(["\\])/g, "$1");
  return text;
}

/**
 * For a body that was cut off or is not JSON: keeps field names, and replaces quoted text by a word, also where the end
 * is missing.
 */
function withoutQuotes(text: string): string {
  return text
    .replace(/"([\w.-]{1,60})"\s{0,9}:\s{0,9}/g, "$1: ")
    .replace(/"(?:[^"\\\n]|\\.){0,2000}("|$)/g, "<text>")
    .replace(/\\+/g, "");
}
