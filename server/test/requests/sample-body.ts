import { randomBytes, randomUUID } from "node:crypto";
import { namedSchemas } from "@millrace/contract/schema/schema";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { TSchema } from "typebox";

/** A JSON Schema, as far as the sampler supports it. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  patternProperties?: Record<string, JsonSchema>;
};

/** The minimal body that the schema accepts: its required fields. Throws if the schema rejects it. */
export function sampleBody(schema: TSchema | undefined): unknown {
  if (schema === undefined) return undefined;
  const { $id } = schema as unknown as { $id: string };
  const least = sampleOf(schema as unknown as JsonSchema);
  const sample = $id in MORE ? { ...(least as object), ...MORE[$id]?.() } : least;
  const validate = validatorOf($id);
  if (!validate(sample)) throw new Error(`sampleBody cannot build ${$id}: ${JSON.stringify(validate.errors)}`);
  return sample;
}

/** Values that bodies need beyond their schemas. */
const MORE: Record<string, () => object> = {
  BulkCancelAll: () => ({ filter: { tag: "nobody-has-it" } }),
  BulkReplayDeadLetters: () => ({ run_ids: [randomUUID()] }),
  BulkRetryDeliveries: () => ({ delivery_ids: [randomUUID()] }),
  CreateResourcePolicy: () => ({ effect: "deny", subject: "role:viewer", resource_id: "*" }),
  CreateTagPolicy: () => ({ effect: "deny", subject: "role:viewer" }),
  CreateAlertChannel: () => ({ url: "https://example.com/alerts" }),
  CreateJob: () => ({ delivery: "pull" }),
  CreateToken: () => ({ scopes: ["runs:read"], tags: { team: "nobody" } }),
  AssignMember: () => ({ role_id: "viewer" }),
  CreateInvitation: () => ({ email: "ada@example.com", role_id: "viewer" }),
  CreateResetLink: () => ({ email: "ada@example.com" }),
  EnableTotp: () => ({ secret: "A".repeat(32) }),
};

export function sampleOf(given: JsonSchema): unknown {
  const schema = resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0]);
  switch (typeOf(schema)) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      );
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}));
    case "string":
      return sampleText(schema);
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}

export function resolve(schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace(/#$/, "");
  const found = namedSchemas.get(name);
  if (!found) throw new Error(`no schema ${name}`);
  return found as unknown as JsonSchema;
}

export function typeOf({ type }: JsonSchema): string | undefined {
  return Array.isArray(type) ? type[0] : type;
}

function sampleText({ format, minLength = 0, maxLength = 100 }: JsonSchema): string {
  if (format === "uuid") return randomUUID();
  if (format === "date-time") return "2030-01-01T00:00:00.000Z";
  if (format === "uri") return "https://example.com/";
  return `sample-${randomBytes(6).toString("hex")}`.padEnd(minLength, "0").slice(0, maxLength);
}

/** Validates against a contract schema, by its name. */
export function validatorOf(name: string): ValidateFunction {
  const schema = namedSchemas.get(name);
  // Test files share this module, and some register schemas of their own.
  const validate = ajv().getSchema(name) ?? (schema && ajv().addSchema(schema).getSchema(name));
  if (!validate) throw new Error(`no schema ${name}`);
  return validate as ValidateFunction;
}

let shared: Ajv2020 | undefined;

function ajv(): Ajv2020 {
  if (shared) return shared;
  shared = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
  addFormats.default(shared);
  for (const schema of namedSchemas.values()) shared.addSchema(schema);
  return shared;
}
