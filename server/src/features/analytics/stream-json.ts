/**
 * A message whose JSON is told in words. What an endpoint answered often is a body of JSON, cut somewhere, or quoted a
 * second time by who passed it on: of it the sentence counts that it was meant to say, or else what it has.
 */
export function streamJson(message: string, depth = 0): string {
  const text = unescaped(message);
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (from < 0 || depth === DEEPEST) return text;
  const body = to > from ? parsed(text.slice(from, to + 1)) : undefined;
  if (body === undefined) return withoutQuotes(text);
  return `${text.slice(0, from)}${tell(body, depth + 1)}${text.slice(to + 1)}`;
}

const DEEPEST = 4;

/** Where whoever answers puts the sentence, the best place first. */
const SENTENCES = ["message", "error", "detail", "title", "reason", "description", "error_description", "msg"];

function tell(body: object, depth: number): string {
  if (depth > DEEPEST) return "<data>";
  const fields = body as Record<string, unknown>;
  for (const name of SENTENCES) {
    const said = fields[name];
    if (typeof said === "string" && said.trim() !== "") return streamJson(said, depth);
    if (isObject(said)) return tell(said, depth + 1);
  }
  const told = Object.entries(fields).map(([name, value]) => `${name}: ${kindOf(value, depth)}`);
  return `{${told.slice(0, MOST_FIELDS).join(", ")}}`;
}

const MOST_FIELDS = 8;

/** What it is, not whose: texts in a body are names more often than reasons. */
function kindOf(value: unknown, depth: number): string {
  if (typeof value === "string") return "<text>";
  if (typeof value === "number") return "<n>";
  if (Array.isArray(value)) return "<list>";
  return isObject(value) ? tell(value, depth + 1) : String(value);
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

/** Quoted as a whole by who passed it on: every quote in it stands behind a backslash. */
function unescaped(message: string): string {
  let text = message;
  for (let level = 0; level < DEEPEST && text.includes('\\"') && !/(?<!\\)"/.test(text); level++)
    text = text.replace(/\\(["\\])/g, "$1");
  return text;
}

/** A body that was cut, or is none: its names stay, and what is quoted becomes a word, also where the end is missing. */
function withoutQuotes(text: string): string {
  return text
    .replace(/"([\w.-]{1,60})"\s{0,9}:\s{0,9}/g, "$1: ")
    .replace(/"(?:[^"\\\n]|\\.){0,2000}("|$)/g, "<text>")
    .replace(/\\+/g, "");
}
