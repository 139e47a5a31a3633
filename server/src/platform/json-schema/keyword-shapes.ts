import { indexLocation, keyLocation } from "../json/json-location.ts";
import type { Fields } from "./schema-node.ts";

export type ShapeIssue = { at: string; message: string };

/** Returns the first malformed keyword of a schema in its dialect. Subschemas are checked separately. */
export function findShapeIssue(schema: Fields, at: string, isDraft07: boolean): ShapeIssue | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const issue = shapeOf(keyword, isDraft07)?.(value, "");
    if (issue) return { at: `${keyLocation(at, keyword)}${issue.at}`, message: issue.message };
  }
  return undefined;
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isFields(value);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Shape = (value: unknown, at: string) => ShapeIssue | undefined;

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

const text = shape((value) => typeof value === "string", "must be a string");
const flag = shape((value) => typeof value === "boolean", "must be true or false");
const number = shape((value) => typeof value === "number", "must be a number");
const schema = shape(isSchema, "must be an object, true or false");
const list = shape(Array.isArray, "must be a list");
const fields = shape(isFields, "must be an object");

const count: Shape = (value, at) =>
  Number.isInteger(value)
    ? shape(() => Number(value) >= 0, "must be at least 0")(value, at)
    : { at, message: "must be a whole number" };
const positive: Shape = (value, at) =>
  number(value, at) ?? (Number(value) > 0 ? undefined : { at, message: "must be more than 0" });
const texts: Shape = (value, at) => list(value, at) ?? eachItem(value, at, text) ?? repeated(value as string[], at);
const schemas: Shape = (value, at) =>
  list(value, at) ?? nonEmpty(value as unknown[], at) ?? eachItem(value, at, schema);
const schemaMap: Shape = (value, at) => fields(value, at) ?? eachField(value, at, schema);
const types: Shape = (value, at) =>
  Array.isArray(value)
    ? (nonEmpty(value, at) ?? eachItem(value, at, oneType) ?? repeated(value, at))
    : oneType(value, at);

function oneType(value: unknown, at: string): ShapeIssue | undefined {
  return TYPES.includes(value as string) ? undefined : { at, message: `must be one of ${TYPES.join(", ")}` };
}

const SHAPES: Record<string, Shape> = {
  ...shapes(text, ["$schema", "$id", "$ref", "$comment", "title", "description", "format", "pattern"]),
  ...shapes(text, ["contentEncoding", "contentMediaType"]),
  ...shapes(flag, ["uniqueItems", "readOnly", "writeOnly", "nullable"]),
  ...shapes(number, ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"]),
  ...shapes(count, ["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"]),
  ...shapes(schema, ["not", "if", "then", "else", "contains", "propertyNames", "additionalProperties"]),
  ...shapes(schemas, ["allOf", "anyOf", "oneOf"]),
  ...shapes(schemaMap, ["properties", "patternProperties", "$defs", "definitions"]),
  ...shapes(list, ["enum", "examples"]),
  multipleOf: positive,
  required: texts,
  type: types,
  dependencies: (value, at) =>
    fields(value, at) ??
    eachField(value, at, (each, place) => (Array.isArray(each) ? texts(each, place) : schema(each, place))),
};

const DRAFT_07_SHAPES: Record<string, Shape> = {
  additionalItems: schema,
  items: (value, at) => (Array.isArray(value) ? schemas(value, at) : schema(value, at)),
};

const SHAPES_2020: Record<string, Shape> = {
  ...shapes(text, ["$anchor", "$dynamicAnchor", "$dynamicRef"]),
  ...shapes(schema, ["items", "unevaluatedItems", "unevaluatedProperties", "contentSchema"]),
  ...shapes(count, ["minContains", "maxContains"]),
  prefixItems: schemas,
  deprecated: flag,
  dependentSchemas: schemaMap,
  dependentRequired: (value, at) => fields(value, at) ?? eachField(value, at, texts),
};

function shapeOf(keyword: string, isDraft07: boolean): Shape | undefined {
  const table = isDraft07 ? DRAFT_07_SHAPES : SHAPES_2020;
  if (Object.hasOwn(SHAPES, keyword)) return SHAPES[keyword];
  return Object.hasOwn(table, keyword) ? table[keyword] : undefined;
}

function shape(fits: (value: unknown) => boolean, message: string): Shape {
  return (value, at) => (fits(value) ? undefined : { at, message });
}

function shapes(each: Shape, keywords: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, each]));
}

function nonEmpty(value: readonly unknown[], at: string): ShapeIssue | undefined {
  return value.length > 0 ? undefined : { at, message: "must have at least 1 item" };
}

function repeated(value: readonly unknown[], at: string): ShapeIssue | undefined {
  return new Set(value).size === value.length ? undefined : { at, message: "has duplicate items" };
}

function eachItem(value: unknown, at: string, item: Shape): ShapeIssue | undefined {
  for (const [i, each] of (value as unknown[]).entries()) {
    const issue = item(each, indexLocation(at, i));
    if (issue) return issue;
  }
  return undefined;
}

function eachField(value: unknown, at: string, field: Shape): ShapeIssue | undefined {
  for (const [name, each] of Object.entries(value as Fields)) {
    const issue = field(each, keyLocation(at, name));
    if (issue) return issue;
  }
  return undefined;
}
