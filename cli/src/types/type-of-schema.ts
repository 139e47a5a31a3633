type Schema = Readonly<Record<string, unknown>>;

const SIMPLE: Readonly<Record<string, string>> = {
  ...{ string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" },
};
const MAX_DEPTH = 20;

/** The TypeScript type of a JSON Schema. What it does not know, such as `$ref`, is `unknown`. */
export function typeOfSchema(schema: unknown, depth = 0): string {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return "unknown";
  const { type, properties, items, ...rest } = schema as Schema;
  if ("const" in rest) return literal(rest.const);
  if (Array.isArray(rest.enum)) return rest.enum.map(literal).join(" | ") || "never";
  const either = rest.anyOf ?? rest.oneOf;
  if (Array.isArray(either)) return either.map((each) => typeOfSchema(each, depth + 1)).join(" | ");
  if (Array.isArray(rest.allOf)) return rest.allOf.map((each) => `(${typeOfSchema(each, depth + 1)})`).join(" & ");
  if (Array.isArray(type)) return type.map((each) => typeOfSchema({ ...schema, type: each }, depth + 1)).join(" | ");
  if (type === "array") return `(${typeOfSchema(items, depth + 1)})[]`;
  if (type === "object" || properties !== undefined) return objectType(schema as Schema, depth);
  return SIMPLE[String(type)] ?? "unknown";
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, depth: number): string {
  const needed = required as readonly string[];
  const fields = Object.entries(properties as Schema).map(([name, each]) => {
    return `${JSON.stringify(name)}${needed.includes(name) ? "" : "?"}: ${typeOfSchema(each, depth + 1)}`;
  });
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  if (additionalProperties === false) return "Record<string, never>";
  return `Record<string, ${typeOfSchema(additionalProperties, depth + 1)}>`;
}

function literal(value: unknown): string {
  return typeof value === "object" && value !== null ? "unknown" : JSON.stringify(value);
}
