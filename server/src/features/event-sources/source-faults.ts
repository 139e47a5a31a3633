import { invalid } from "../../platform/errors.ts";
import { compileJsonSchema } from "../../platform/json-schema/compile-json-schema.ts";

/** Refuses a schema that nothing could be checked against. */
export function refuseBadSchema(schema: object | null | undefined): void {
  const compiled = schema ? compileJsonSchema(schema) : undefined;
  if (compiled?.ok === false) throw invalid("body.payload_schema", compiled.message, null);
}
