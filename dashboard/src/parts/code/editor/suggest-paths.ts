import type { Suggestion, Suggestions } from "../suggestions.ts";

/** Functions of CEL that filters use most. */
const FUNCTIONS: readonly Suggestion[] = [
  { label: "has()", insert: "has(", hint: "the field exists" },
  { label: "size()", insert: "size(", hint: "length" },
  { label: "int()", insert: "int(", hint: "convert" },
  { label: "double()", insert: "double(", hint: "convert" },
  { label: "string()", insert: "string(", hint: "convert" },
];
const METHODS: readonly Suggestion[] = [
  { label: "startsWith()", insert: "startsWith(", hint: "text" },
  { label: "endsWith()", insert: "endsWith(", hint: "text" },
  { label: "contains()", insert: "contains(", hint: "text" },
  { label: "matches()", insert: "matches(", hint: "regular expression" },
  { label: "exists()", insert: "exists(", hint: "list: x, condition" },
  { label: "all()", insert: "all(", hint: "list: x, condition" },
];

const NAME = /[A-Za-z_][\w.[\]]*$/;

/** Completions of dotted names at the caret: one more segment at a time. */
export function suggestPaths(
  text: string,
  caret: number,
  paths: readonly string[],
  language: "cel" | "template" | "json",
): Suggestions | undefined {
  const before = text.slice(0, caret);
  if (language !== "cel" && !isInTemplate(before)) return undefined;
  const typed = NAME.exec(before)?.[0] ?? "";
  const dot = typed.lastIndexOf(".");
  const parent = typed.slice(0, dot + 1);
  const last = typed.slice(dot + 1).toLowerCase();
  const known = segmentsBelow(parent, paths);
  const functions = language === "cel" ? (dot === -1 ? FUNCTIONS : METHODS) : [];
  const options = [...known, ...functions].filter(({ label }) => label.toLowerCase().startsWith(last));
  return { from: caret - last.length, to: caret, options };
}

/** Whether a template is open: `{{` without `}}`. */
function isInTemplate(before: string): boolean {
  return before.lastIndexOf("{{") > before.lastIndexOf("}}");
}

function segmentsBelow(parent: string, paths: readonly string[]): Suggestion[] {
  const found = new Map<string, boolean>();
  for (const path of paths) {
    if (!path.startsWith(parent)) continue;
    const [segment = "", ...rest] = path.slice(parent.length).split(".");
    if (segment !== "") found.set(segment, (found.get(segment) ?? false) || rest.length > 0);
  }
  return [...found].map(([segment, isMore]) => ({ label: segment, insert: segment, ...(isMore && { hint: "…" }) }));
}

const MAX_PATHS = 300;

/** Every dotted path of a JSON value: `payload.order.id`. */
export function pathsIn(value: unknown, name: string): string[] {
  const paths = [name];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return paths;
  for (const [key, inner] of Object.entries(value)) {
    if (paths.length > MAX_PATHS) break;
    if (/^[A-Za-z_]\w*$/.test(key)) paths.push(...pathsIn(inner, `${name}.${key}`));
  }
  return paths;
}

/** Every dotted path that a JSON Schema describes. */
export function pathsOfSchema(schema: unknown, name: string, depth = 0): string[] {
  const { properties } = (schema ?? {}) as { properties?: Record<string, unknown> };
  if (typeof properties !== "object" || properties === null || depth > 6) return [name];
  return [
    name,
    ...Object.entries(properties).flatMap(([key, inner]) => pathsOfSchema(inner, `${name}.${key}`, depth + 1)),
  ];
}
