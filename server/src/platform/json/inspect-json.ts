import { Buffer } from "node:buffer";
import { findBadText } from "./find-bad-text.ts";
import { indexLocation, type JsonLimits, type JsonProblem, keyLocation } from "./json-location.ts";

/** The first issue of shape or text with its location, or undefined. */
export function findJsonProblem(value: unknown, limits: JsonLimits): JsonProblem | undefined {
  const found = inspect(value, 0, { limits, nodes: 0 });
  if (!found) return undefined;
  const { path, isWhole: _, ...problem } = found;
  const location = path.reduceRight<string>(
    (above, step) => (typeof step === "number" ? indexLocation(above, step) : keyLocation(above, step)),
    limits.root,
  );
  return { ...problem, location };
}

type Inspection = { limits: JsonLimits; nodes: number };
/** With its path from the inside out, added on the way back: 49,000 values without an issue need no locations. */
type Found = Omit<JsonProblem, "location"> & { path: (string | number)[]; isWhole?: true };

function inspect(value: unknown, depth: number, state: Inspection): Found | undefined {
  const { limits } = state;
  if (++state.nodes > limits.nodes) {
    return { kind: "shape", path: [], isWhole: true, message: `has more than ${limits.nodes} values` };
  }
  if (typeof value === "string") return inspectText(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= limits.depth) {
    return { kind: "shape", path: [], message: `is nested more than ${limits.depth} levels deep` };
  }

  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = inspect(value[i], depth + 1, state);
      if (found) return within(i, found);
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const issue = inspectKey(key, limits);
    if (issue) return issue;
    const found = inspect((value as Record<string, unknown>)[key], depth + 1, state);
    if (found) return within(key, found);
  }
  return undefined;
}

function within(step: string | number, found: Found): Found {
  if (!found.isWhole) found.path.push(step);
  return found;
}

function inspectKey(key: string, limits: JsonLimits): Found | undefined {
  if (Buffer.byteLength(key) > limits.key_bytes) {
    const message = `has a key longer than ${limits.key_bytes} bytes`;
    return { kind: "shape", path: [], message, value: key.slice(0, 64).toWellFormed() };
  }
  if (key === "__proto__") return { kind: "shape", path: [key], message: "is not a usable key" };

  const bad = findBadText(key);
  return bad ? { kind: "text", path: [key], message: `has a key that ${bad}` } : undefined;
}

function inspectText(value: string): Found | undefined {
  const bad = findBadText(value);
  return bad ? { kind: "text", path: [], message: bad } : undefined;
}
