import { plural } from "../../parts/format.ts";

type Schema = Record<string, unknown>;
export type SchemaIssue = { location: string; message: string };

const MAX_ISSUES = 8;

/**
 * Validates a value against a JSON Schema while typing. Supports the common keywords and ignores the others, because
 * the service validates everything again.
 */
export function checkSchema(schema: unknown, value: unknown, location = "payload"): SchemaIssue[] {
  if (typeof schema !== "object" || schema === null) return [];
  const known = schema as Schema;
  const wrongType = typeIssue(known, value);
  if (wrongType) return [{ location, message: wrongType }];
  const own = [...ownIssues(known, value)].map((message) => ({ location, message }));
  return [...own, ...innerIssues(known, value, location)].slice(0, MAX_ISSUES);
}

function typeIssue({ type }: Schema, value: unknown): string | undefined {
  if (type === undefined) return undefined;
  const allowed = (Array.isArray(type) ? type : [type]).map(String);
  const actual = typeOf(value);
  const fits = allowed.includes(actual) || (actual === "integer" && allowed.includes("number"));
  return fits ? undefined : `must be ${allowed.join(" or ")}, but is ${actual}`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function* ownIssues(schema: Schema, value: unknown): Iterable<string> {
  const { enum: values, const: only, minimum, maximum, minLength, maxLength, pattern, minItems, maxItems } = schema;
  if (Array.isArray(values) && !values.some((each) => isSame(each, value)))
    yield `must be one of ${values.map((each) => JSON.stringify(each)).join(", ")}`;
  if (only !== undefined && !isSame(only, value)) yield `must be ${JSON.stringify(only)}`;
  if (typeof value === "number" && typeof minimum === "number" && value < minimum) yield `must be at least ${minimum}`;
  if (typeof value === "number" && typeof maximum === "number" && value > maximum) yield `must be at most ${maximum}`;
  const length = typeof value === "string" ? [...value].length : undefined;
  if (length !== undefined && typeof minLength === "number" && length < minLength)
    yield `must have at least ${plural(minLength, "character")}`;
  if (length !== undefined && typeof maxLength === "number" && length > maxLength)
    yield `must have at most ${plural(maxLength, "character")}`;
  if (typeof value === "string" && typeof pattern === "string" && !matches(pattern, value))
    yield `must match ${pattern}`;
  if (Array.isArray(value) && typeof minItems === "number" && value.length < minItems)
    yield `must have at least ${plural(minItems, "item")}`;
  if (Array.isArray(value) && typeof maxItems === "number" && value.length > maxItems)
    yield `must have at most ${plural(maxItems, "item")}`;
}

function innerIssues(schema: Schema, value: unknown, location: string): SchemaIssue[] {
  const { properties, required, additionalProperties, items } = schema;
  if (Array.isArray(value)) return value.flatMap((item, nth) => checkSchema(items, item, `${location}[${nth}]`));
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Record<string, unknown>;
  const known = (properties ?? {}) as Record<string, unknown>;
  const missing = (Array.isArray(required) ? required.map(String) : []).filter((name) => !Object.hasOwn(fields, name));
  const extra = additionalProperties === false ? Object.keys(fields).filter((name) => !Object.hasOwn(known, name)) : [];
  return [
    ...missing.map((name) => ({ location: `${location}.${name}`, message: "is required" })),
    ...extra.map((name) => ({ location: `${location}.${name}`, message: "is not allowed" })),
    ...Object.entries(known).flatMap(([name, inner]) =>
      Object.hasOwn(fields, name) ? checkSchema(inner, fields[name], `${location}.${name}`) : [],
    ),
  ];
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/** A sample value: example or default of the schema, otherwise an empty value of its type. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > 6) return null;
  const { type, properties, items, enum: values, const: only, default: given, examples, example } = schema as Schema;
  const sample = given ?? only ?? example ?? (Array.isArray(examples) ? examples[0] : undefined);
  if (sample !== undefined) return sample;
  if (Array.isArray(values)) return values[0];
  const first = Array.isArray(type) ? type[0] : type;
  if (first === "object" || properties !== undefined) {
    const fields = Object.entries((properties ?? {}) as Schema);
    return Object.fromEntries(fields.map(([name, inner]) => [name, sampleOf(inner, depth + 1)]));
  }
  if (first === "array") return items === undefined ? [] : [sampleOf(items, depth + 1)];
  const { minimum, minLength } = schema as { minimum?: number; minLength?: number };
  return (
    { string: "x".repeat(minLength ?? 0), number: minimum ?? 0, integer: minimum ?? 0, boolean: false }[
      String(first)
    ] ?? null
  );
}
