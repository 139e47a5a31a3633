import { namedSchemas } from "@millrace/contract/schema/schema";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import { isId } from "../../platform/ids.ts";

type Validator = { (data: unknown): boolean; errors?: ValidateFunction["errors"] };
type Properties = Record<string, { type?: unknown }>;

/** Bodies of more than 64 KB get only their first issue: collecting 50,000 takes 0.2 s. */
export const LARGE_BYTES = 65_536;
const large = new WeakSet<object>();

export function recordSize(body: unknown, bytes: number): void {
  if (bytes > LARGE_BYTES && typeof body === "object" && body !== null) large.add(body);
}

export function isLarge(body: unknown): boolean {
  return typeof body === "object" && body !== null && large.has(body);
}

/**
 * Bodies are validated as they are; queries are text, so numbers and booleans in them are converted; handlers validate
 * path parameters. Compiled at first use: a start need not pay for every route.
 */
export function compileValidators(): FastifySchemaCompiler<object> {
  const ajv = { "all issues": ajvWithAllSchemas("all issues"), "first issue": ajvWithAllSchemas("first issue") };
  return ({ schema, httpPart }) => {
    if (httpPart === "params") return () => true;
    const properties = (schema as { properties?: Properties }).properties ?? {};
    const prepare = httpPart === "querystring" ? (query: unknown) => convertText(properties, query) : () => {};
    return whenUsed(prepare, (how) => ajv[how].compile(schema)) as never;
  };
}

/** The same for a body. A schema is compiled once, by identity. */
export function validatorOf(schema: unknown): Validator {
  return whenUsed(
    () => {},
    (how) => ajvWithAllSchemas(how).compile(schema as object),
  );
}

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/**
 * Values that cannot be converted are left for the schema to refuse. Not Ajv's conversion, which accepts `0x10` and
 * numbers with spaces around them, and lets `1e400` pass any maximum as Infinity.
 */
function convertText(properties: Properties, query: unknown): void {
  const values = query as Record<string, unknown>;
  for (const name of Object.keys(values)) {
    const type = properties[name]?.type;
    const value = values[name];
    if ((type === "integer" || type === "number") && DECIMAL.test(String(value))) values[name] = Number(value);
    if (type === "boolean" && (value === "true" || value === "false")) values[name] = value === "true";
  }
}

function whenUsed(prepare: (data: unknown) => void, compile: (how: Thoroughness) => ValidateFunction): Validator {
  const compiled: Partial<Record<Thoroughness, ValidateFunction>> = {};
  const validate: Validator = (data) => {
    prepare(data);
    const how = isLarge(data) ? "first issue" : "all issues";
    const check = compiled[how] ?? compile(how);
    compiled[how] = check;
    const isValid = check(data);
    validate.errors = check.errors;
    return isValid;
  };
  return validate;
}

type Thoroughness = "all issues" | "first issue";
const shared: Partial<Record<Thoroughness, Ajv2020>> = {};

/** Shared by all instances in the process: creating it takes longer than the rest of their start. */
function ajvWithAllSchemas(how: Thoroughness): Ajv2020 {
  const ajv = shared[how] ?? makeAjv(how);
  shared[how] = ajv;
  for (const [name, schema] of namedSchemas) if (!(name in ajv.schemas)) ajv.addSchema(schema);
  return ajv;
}

function makeAjv(how: Thoroughness): Ajv2020 {
  // Each issue includes the value found. Sizes are bounded before validation begins.
  const ajv = new Ajv2020({
    allErrors: how === "all issues",
    // The second instance has the same schemas, which the first has validated.
    validateSchema: how === "all issues",
    verbose: true,
    useDefaults: true,
    allowUnionTypes: true,
    strictTypes: false,
  });
  addFormats.default(ajv);
  // Ids are lower-case UUIDs; the stock format also accepts `urn:uuid:`, which the database does not.
  ajv.addFormat("uuid", isId);
  return ajv;
}
