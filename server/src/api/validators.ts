import { namedSchemas } from "@millrace/contract/schema";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import { isId } from "../platform/ids.ts";

type Validator = { (data: unknown): boolean; errors?: ValidateFunction["errors"] };
type Properties = Record<string, { type?: unknown }>;

/**
 * Bodies are taken as they are; queries are text, so numbers and booleans in them are converted; path parameters are
 * for the verbs to judge. Compiled at first use: a start need not pay for every route.
 */
export function compileValidators(): FastifySchemaCompiler<object> {
  const ajv = ajvWithAllSchemas();
  return ({ schema, httpPart }) => {
    if (httpPart === "params") return () => true;
    const properties = (schema as { properties?: Properties }).properties ?? {};
    const prepare = httpPart === "querystring" ? (query: unknown) => convertText(properties, query) : () => {};
    return whenUsed(prepare, () => ajv.compile(schema)) as never;
  };
}

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/**
 * What cannot be read is left as it is, for the schema to refuse. Not Ajv's conversion: that one takes `0x10` and
 * ` 5 ` for numbers, and lets `1e400` through any maximum as Infinity.
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

function whenUsed(prepare: (data: unknown) => void, compile: () => ValidateFunction): Validator {
  let compiled: ValidateFunction | undefined;
  const validate: Validator = (data) => {
    prepare(data);
    compiled ??= compile();
    const isValid = compiled(data);
    validate.errors = compiled.errors;
    return isValid;
  };
  return validate;
}

let shared: Ajv2020 | undefined;

/** One for all instances in the process: it takes longer to make than the rest of an instance. */
function ajvWithAllSchemas(): Ajv2020 {
  shared ??= makeAjv();
  for (const [name, schema] of namedSchemas) if (!(name in shared.schemas)) shared.addSchema(schema);
  return shared;
}

function makeAjv(): Ajv2020 {
  // All faults are told at once, each with the value found there. Sizes are bounded before validation begins.
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    useDefaults: true,
    allowUnionTypes: true,
    strictTypes: false,
  });
  addFormats.default(ajv);
  // Ids are lower-case UUIDs; the stock format also takes `urn:uuid:`, which the database does not.
  ajv.addFormat("uuid", isId);
  return ajv;
}
