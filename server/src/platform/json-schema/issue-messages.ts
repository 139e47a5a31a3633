import { patternsInWords } from "@millrace/contract/schema/fields";

type Params = Record<string, unknown>;

/** States the issue and the remedy, after the location: `body.name` … Readable without knowing JSON Schema. */
export function messageOf(issue: SchemaIssue): string {
  return MESSAGES[issue.keyword]?.(issue.params, issue) ?? "is not valid here";
}

/** By keyword. Its value is read from the parameters, which our evaluation and Ajv's both provide. */
const MESSAGES: Record<string, (params: Params, issue: SchemaIssue) => string> = {
  type: ({ type }) => `must be ${[type].flat().map(typeInWords).join(" or ")}`,
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  required: () => "is required",
  dependentRequired: ({ property }) => `is required where ${property} is given`,
  dependencies: ({ property }) => `is required where ${property} is given`,
  additionalProperties: (_, issue) =>
    nameRule(issue) ?? `is not a known ${issue.instancePath === "" ? "field or parameter" : "name"} here`,
  unevaluatedProperties: () => "is not a known name here",
  propertyNames: () => "is not a name that is allowed here",
  minLength: ({ limit }) => (limit === 1 ? "must not be empty" : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${counted(limit, "character")}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, "item")}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, "item")}`,
  items: ({ limit }) => `must have at most ${counted(limit, "item")}`,
  additionalItems: ({ limit }) => `must have at most ${counted(limit, "item")}`,
  unevaluatedItems: ({ limit }) => `must have at most ${counted(limit, "item")}`,
  uniqueItems: ({ i, j }) => `has duplicate items: [${j}] and [${i}]`,
  contains: ({ minContains, maxContains }) => `must contain ${someItems(minContains, maxContains)}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, "field")}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, "field")}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  format: ({ format }) => `must be ${FORMATS[String(format)] ?? `written in the format ${format}`}`,
  pattern: ({ pattern }) => patternsInWords.get(String(pattern)) ?? `must match the pattern ${pattern}`,
  not: () => "is an excluded value",
  anyOf: () => "matches none of the allowed forms",
  oneOf: ({ passingSchemas }) =>
    passingSchemas ? "matches several forms, but must match exactly one" : "matches none of the allowed forms",
  if: () => "does not match what is required in this case",
  "false schema": () => "is not allowed here",
  /** A text that has none of several formats. */
  either: ({ messages }) =>
    `must be ${(messages as string[]).map((each) => each.replace(/^must be /, "")).join(" or ")}`,
};

/** For a map whose names follow a pattern. */
function nameRule({ parentSchema }: SchemaIssue): string | undefined {
  const { patternProperties = {} } = (parentSchema ?? {}) as { patternProperties?: object };
  const [pattern = ""] = Object.keys(patternProperties);
  const words = patternsInWords.get(pattern);
  return words && `is not a name that is allowed here: it ${words}`;
}

function typeInWords(type: unknown): string {
  return TYPES[String(type)] ?? String(type);
}

const TYPES: Record<string, string> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const FORMATS: Record<string, string> = {
  uuid: "an id: a UUID in lower case",
  "date-time": "a time such as 2030-01-31T12:00:00Z",
  date: "a date such as 2030-01-31",
  uri: "a URL such as https://example.com/path",
  email: "an e-mail address",
};

function listed(values: unknown): string {
  return ((values ?? []) as unknown[]).slice(0, 50).join(", ");
}

function counted(limit: unknown, thing: string): string {
  return `${limit} ${thing}${limit === 1 ? "" : "s"}`;
}

function someItems(min: unknown, max: unknown): string {
  if (max === undefined) return `at least ${counted(min, "matching item")}`;
  return `at least ${min} and at most ${counted(max, "matching item")}`;
}

/** The fields used of an Ajv error, created with `verbose`. Its own message is not used. */
export type SchemaIssue = {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  data?: unknown;
  /** The schema that contains the keyword. Absent for users' schemas, which have no messages. */
  parentSchema?: unknown;
};
