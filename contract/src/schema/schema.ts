import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from "typebox";

/** Every named wire object by name, for `/schemas/{Name}.json` and the OpenAPI components. */
export const namedSchemas = new Map<string, TSchema>();

/** Registers a wire object under its public name; the name becomes its `$id`. */
export function named<T extends TSchema>(name: string, schema: T): T {
  if (namedSchemas.has(name)) throw new Error(`schema ${name} is defined twice`);
  const withId = { ...schema, $id: name };
  namedSchemas.set(name, withId);
  return withId;
}

/** A response object. `$schema` is added by the API layer, so that features do not need to know their own address. */
export function responseObject<T extends TProperties>(name: string, properties: T, description: string): TObject<T> {
  const schemaLink = Type.Optional(
    Type.String({ format: "uri", readOnly: true, description: "URL of this object's JSON Schema." }),
  );
  return named(name, Type.Object({ ...properties, $schema: schemaLink }, { description })) as unknown as TObject<T>;
}

/** A request body. Unknown fields are rejected, so that typos do not go unnoticed. */
export function bodyObject<T extends TProperties>(name: string, properties: T, description: string): TObject<T> {
  return named(name, Type.Object(properties, { additionalProperties: false, description }));
}

/** The envelope of every list response. */
export function listOf<T extends TSchema>(name: string, item: T) {
  return responseObject(
    name,
    {
      data: Type.Unsafe<Static<T>[]>({ type: "array", items: refTo(item) }),
      has_more: Type.Boolean({ description: "True when another page follows." }),
      next_cursor: nullable(Type.String({ description: "Pass it as `cursor` to read the next page." })),
    },
    `A page of ${(item as unknown as { $id: string }).$id} objects.`,
  );
}

/** A field that is always present and may be null. A `type` list serializes faster than `anyOf`. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values } = schema as unknown as { type: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, "null"], ...(values && { enum: [...values, null] }) });
}

/** A value that changes by itself. It may differ when the object is sent back, since it was read earlier. */
export function moving<T extends TSchema>(schema: T): T {
  return { ...schema, readOnly: true };
}

export function isMoving(schema: unknown): boolean {
  return (schema as { readOnly?: boolean } | undefined)?.readOnly === true;
}

export function oneOf<const T extends readonly string[]>(values: T, description?: string): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...(description && { description }) });
}

export function refTo<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ $ref: `${(schema as unknown as { $id: string }).$id}#` });
}
