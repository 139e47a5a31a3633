import type { StandardSchema } from "./standard-schema.ts";

type JsonSchemaSource = { jsonSchema?: { input?: (options: { target: string }) => Record<string, unknown> } };

/** The JSON Schema of the accepted input if the library can generate it (Zod 4, ArkType), otherwise undefined. */
export function jsonSchemaOf(
  schema: StandardSchema<unknown, unknown> | undefined,
): Record<string, unknown> | undefined {
  const { jsonSchema } = (schema?.["~standard"] ?? {}) as JsonSchemaSource;
  try {
    return jsonSchema?.input?.({ target: "draft-2020-12" });
  } catch {
    // Some part has no equivalent in JSON Schema. The endpoint still validates every payload.
    return undefined;
  }
}
