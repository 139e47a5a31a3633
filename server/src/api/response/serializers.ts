import { namedSchemas } from "@millrace/contract/schema/schema";
import fastJsonStringify, { type Schema } from "fast-json-stringify";
import type { FastifySerializerCompiler } from "fastify/types/schema.js";

type Serializer = (data: unknown) => string;

const compiled = new Map<string, Serializer>();

/** Responses are serialized by their schema, which strips other fields. Compiled at first use, once per schema. */
export function compileSerializers(): FastifySerializerCompiler<object> {
  return ({ schema }) => {
    const name = nameOf(schema);
    if (name === undefined) return JSON.stringify;
    return (data) => serializerOf(name)(data);
  };
}

export function serializerOf(name: string): Serializer {
  const serialize = compiled.get(name) ?? compile(name);
  compiled.set(name, serialize);
  return serialize;
}

function compile(name: string): Serializer {
  const schema = namedSchemas.get(name);
  if (!schema) throw new Error(`no schema ${name}`);
  return fastJsonStringify(schema as unknown as Schema, { schema: Object.fromEntries(referencedSchemas(name)) });
}

/** The named schemas it refers to, directly or indirectly. */
function referencedSchemas(name: string, found = new Map<string, Schema>()): Map<string, Schema> {
  const text = JSON.stringify(namedSchemas.get(name));
  for (const [, other] of text.matchAll(/"\$ref":"(\w+)#"/g)) {
    if (other === undefined || other === name || found.has(other)) continue;
    found.set(other, namedSchemas.get(other) as unknown as Schema);
    referencedSchemas(other, found);
  }
  return found;
}

function nameOf(schema: unknown): string | undefined {
  const { $ref, $id } = schema as { $ref?: string; $id?: string };
  return $id ?? $ref?.replace(/#$/, "");
}
