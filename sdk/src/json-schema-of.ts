import type { StandardSchema } from "./standard-schema.ts";

type JsonSchemaSource = { jsonSchema?: { input?: (options: { target: string }) => Record<string, unknown> } };

/** The JSON Schema of what may be sent, where the library can print it (Zod 4, ArkType); undefined otherwise. */
export function jsonSchemaOf(
  schema: StandardSchema<unknown, unknown> | undefined,
): Record<string, unknown> | undefined {
  const { jsonSchema } = (schema?.["~standard"] ?? {}) as JsonSchemaSource;
  try {
    return jsonSchema?.input?.({ target: "draft-2020-12" });
  } catch {
    // A part of it has no counterpart in JSON Schema: the endpoint still checks every payload itself.
    return undefined;
  }
}
