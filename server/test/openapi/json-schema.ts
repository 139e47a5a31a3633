type Json = Record<string, unknown>;

/**
 * A contract schema in the form that generators handle best, with the same meaning: references into the document, maps
 * as `additionalProperties`, and defaults in descriptions. A `default` makes openapi-typescript declare the field as
 * required in requests; other generators always send it, so clients keep the old value when the service's default
 * changes.
 */
export function printSchema(schema: object): Json {
  return printValue(schema) as Json;
}

function printValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(printValue);
  if (typeof value !== "object" || value === null) return value;
  const { $id, ...fields } = value as Json;
  const entries = Object.entries(fields).map(([name, part]) => [
    name,
    name === "$ref" ? refOf(part) : printValue(part),
  ]);
  const printed = Object.fromEntries(entries) as Json;
  return isSchema(printed) ? defaultInWords(plainMap(printed)) : printed;
}

/** Fields of an object may have any name, including `default` and `type`. */
function isSchema({ type, anyOf }: Json): boolean {
  return typeof type === "string" || Array.isArray(type) || Array.isArray(anyOf);
}

function refOf(ref: unknown): unknown {
  return typeof ref === "string" ? ref.replace(/^(\w+)#$/, "#/components/schemas/$1") : ref;
}

function plainMap(schema: Json): Json {
  const { patternProperties, ...others } = schema;
  const [only, ...more] = Object.entries((patternProperties ?? {}) as Json);
  if (!only || more.length > 0 || others.properties) return schema;
  const [pattern, additionalProperties] = only;
  if (pattern === ANY_NAME) return { ...others, additionalProperties };
  if (others.additionalProperties !== false) return schema;
  return { ...others, propertyNames: { pattern }, additionalProperties };
}

const ANY_NAME = "^.*$";

function defaultInWords({ default: standard, ...schema }: Json): Json {
  if (standard === undefined) return schema;
  const words = `Default: \`${JSON.stringify(standard)}\`.`;
  return { ...schema, description: schema.description ? `${schema.description} ${words}` : words };
}
