import { expect, it } from "vitest";
import { typeOfSchema } from "./type-of-schema.ts";

it.each([
  [{ type: "string" }, "string"],
  [{ type: ["integer", "null"] }, "number | null"],
  [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
  [{ const: 'say "hi"' }, '"say \\"hi\\""'],
  [{ type: "array", items: { anyOf: [{ type: "string" }, { type: "boolean" }] } }, "(string | boolean)[]"],
  [
    { type: "object", required: ["to"], properties: { to: { type: "string" }, "cc-list": { type: "array" } } },
    '{ "to": string; "cc-list"?: (unknown)[] }',
  ],
  [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
  [{ type: "object", additionalProperties: false }, "Record<string, never>"],
  [{ $ref: "#/definitions/x" }, "unknown"],
  [true, "unknown"],
])("%j is %s", (schema, type) => {
  expect(typeOfSchema(schema)).toBe(type);
});
