import type { JsonSchema } from "./openapi-document.ts";

/** Prints a JSON Schema as a TypeScript type. `scope` prefixes the names of other schemas. */
export function printType(schema: JsonSchema, scope = "", indent = ""): string {
  if (schema.$ref) return scope + nameOfRef(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return union(schema.anyOf.map((each) => printType(each, scope, indent)));
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0) return schema.properties ? printObject(schema, scope, indent) : "unknown";
  return union(types.map((type) => printOne({ ...schema, type }, scope, indent)));
}

function nameOfRef(ref: string): string {
  return ref.replace(/^#\/components\/schemas\//, "").replace(/#$/, "");
}

function printOne(schema: JsonSchema & { type: string }, scope: string, indent: string): string {
  if (schema.type === "null") return "null";
  if (schema.enum) return union(schema.enum.filter((value) => value !== null).map((value) => JSON.stringify(value)));
  if (schema.type === "integer") return "number";
  if (schema.type === "array") return printArray(printType(schema.items ?? {}, scope, indent));
  return schema.type === "object" ? printObject(schema, scope, indent) : schema.type;
}

function printArray(item: string): string {
  return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function printObject(schema: JsonSchema, scope: string, indent: string): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return printRecord(schema, scope, indent);
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const required = schema.required?.includes(name) ?? false;
    const type = printType(field, scope, inner);
    const key = /^[$\w]+$/.test(name) ? name : JSON.stringify(name);
    return `${comment(field.description, inner)}${inner}${key}${required ? "" : "?"}: ${required ? type : orUndefined(type)};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function printRecord({ additionalProperties }: JsonSchema, scope: string, indent: string): string {
  if (additionalProperties === false) return "Record<string, never>";
  const value = typeof additionalProperties === "object" ? printType(additionalProperties, scope, indent) : "unknown";
  return `Record<string, ${value}>`;
}

/** In JSON, omitted and undefined are the same, also for users of exactOptionalPropertyTypes. */
function orUndefined(type: string): string {
  return type === "unknown" ? type : `${type} | undefined`;
}

function union(types: string[]): string {
  return types.includes("unknown") ? "unknown" : [...new Set(types)].join(" | ");
}

export function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll("*/", "* /").replaceAll("\n", " ")} */\n` : "";
}
