export type TemplatePart = { kind: "text"; text: string } | { kind: "path"; path: string };
type SplitTemplate = { parts: TemplatePart[]; issues: string[] };

/**
 * Splits `order-{{ payload.id }}` into text and paths, with every issue found. Templates are paths only: there is
 * nothing to evaluate. A lone `}}` is text, as in serialized JSON; a literal `{{` cannot be written.
 */
export function splitTemplate(source: string): SplitTemplate {
  const parts: TemplatePart[] = [];
  const issues: string[] = [];
  let at = 0;
  for (let open = source.indexOf("{{"); open >= 0; open = source.indexOf("{{", at)) {
    const close = source.indexOf("}}", open + 2);
    if (close < 0) {
      issues.push(`has "{{" at position ${open} without "}}"`);
      break;
    }
    const path = source.slice(open + 2, close).trim();
    if (!PATH.test(path)) issues.push(describeBadPath(path, open));
    if (open > at) parts.push({ kind: "text", text: source.slice(at, open) });
    parts.push({ kind: "path", path });
    at = close + 2;
  }
  if (at < source.length) parts.push({ kind: "text", text: source.slice(at) });
  return { parts, issues };
}

const PATH = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

function describeBadPath(path: string, position: number): string {
  if (path.includes("{")) return `has braces inside the template at position ${position}`;
  if (path === "") return `has an empty template at position ${position}`;
  const shown = JSON.stringify(path.slice(0, 100));
  return `has a template at position ${position} that is not a path like payload.order.id: ${shown}`;
}

type ReadPath = { ok: true; value: unknown } | { ok: false; message: string };

/** Follows `payload.items.0.sku` through own properties; array elements are numeric segments. */
export function readPath(scope: Readonly<Record<string, unknown>>, path: string): ReadPath {
  const segments = path.split(".");
  let value: unknown = scope;
  for (const [i, segment] of segments.entries()) {
    if (isNullOutput(segments, i, value)) return { ok: true, value: null };
    if (!hasOwnChild(value, segment)) return { ok: false, message: describeMissing(segments, i, value) };
    value = (value as Record<string, unknown>)[segment];
  }
  return { ok: true, value };
}

// The output of a parent that was skipped, or failed under `continue`, is null, and so is everything read from it.
// Elsewhere a field of null is missing.
function isNullOutput(segments: readonly string[], i: number, value: unknown): boolean {
  return segments[0] === "parent_outputs" && i === 2 && value === null;
}

function hasOwnChild(value: unknown, segment: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) && !INDEX.test(segment)) return false;
  return Object.hasOwn(value, segment) && (value as Record<string, unknown>)[segment] !== undefined;
}

const INDEX = /^(?:0|[1-9]\d*)$/;

function describeMissing(segments: readonly string[], i: number, value: unknown): string {
  const path = segments.join(".");
  if (i === 0) return `${path} is missing: there is no ${segments[0]} here`;
  const parent = segments.slice(0, i).join(".");
  return `${path} is missing: ${parent} is ${describeValue(value)} without ${segments[i]}`;
}

function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
