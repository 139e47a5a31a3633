import type { TSchema } from "typebox";

type Schema = { anyOf?: Schema[]; properties?: Record<string, Schema>; minimum?: number; maximum?: number };

/**
 * The error for a number outside the bounds of its field: the usual advice, to send a string, would not help there.
 * Undefined for fields the user defines.
 */
export function passedBound(body: TSchema | undefined, location: string, literal: string): string | undefined {
  const [, ...names] = location.split(".");
  const fields = names.reduce(fieldsOf, body ? [body as Schema] : []);
  const [bound] = fields.flatMap(formsOf).filter(({ maximum }) => maximum !== undefined);
  if (bound?.maximum !== undefined && Number(literal) > bound.maximum) return `must be at most ${bound.maximum}`;
  if (bound?.minimum !== undefined && Number(literal) < bound.minimum) return `must be at least ${bound.minimum}`;
  return undefined;
}

function fieldsOf(schemas: Schema[], name: string): Schema[] {
  return schemas.flatMap(formsOf).flatMap(({ properties }) => properties?.[name] ?? []);
}

function formsOf(schema: Schema): Schema[] {
  return schema.anyOf ?? [schema];
}
