import { namedSchemas } from "@millrace/contract/schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";

/** Bodies are taken as they are; paths and queries are text, so numbers and booleans in them are converted. */
export function compileValidators(): FastifySchemaCompiler<object> {
  const forBodies = makeAjv({ coerceTypes: false });
  const forText = makeAjv({ coerceTypes: true });
  return ({ schema, httpPart }) => (httpPart === "body" ? forBodies : forText).compile(schema);
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
