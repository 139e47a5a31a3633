export type ReadPath = { ok: true; value: unknown } | { ok: false; message: string };

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
