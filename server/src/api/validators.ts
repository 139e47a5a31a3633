import { namedSchemas } from "@millrace/contract/schema";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";

type Validator = { (data: unknown): boolean; errors?: ValidateFunction["errors"] };

/**
 * Bodies are taken as they are; queries are text, so numbers and booleans in them are converted; path parameters are
 * for the verbs to judge. Compiled at first use: a start need not pay for every route.
 */
export function compileValidators(): FastifySchemaCompiler<object> {
  const forBodies = makeAjv({ coerceTypes: false });
  const forText = makeAjv({ coerceTypes: true });
  return ({ schema, httpPart }) => {
    if (httpPart === "params") return () => true;
    return whenUsed(() => (httpPart === "body" ? forBodies : forText).compile(schema)) as never;
  };
}

function whenUsed(compile: () => ValidateFunction): Validator {
  let compiled: ValidateFunction | undefined;
  const validate: Validator = (data) => {
    compiled ??= compile();
    const isValid = compiled(data);
    validate.errors = compiled.errors;
    return isValid;
  };
  return validate;
}

function makeAjv({ coerceTypes }: { coerceTypes: boolean }): Ajv2020 {
  // All faults are told at once, each with the value found there. Sizes are bounded before validation begins.
  const ajv = new Ajv2020({
    coerceTypes,
    allErrors: true,
    verbose: true,
    useDefaults: true,
    allowUnionTypes: true,
    strictTypes: false,
  });
  addFormats.default(ajv);
  for (const schema of namedSchemas.values()) ajv.addSchema(schema);
  return ajv;
}
