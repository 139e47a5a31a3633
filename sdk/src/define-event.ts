import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";

/** An event key to wait for or send to, with the type of its payload. */
export type EventRef<Sent = unknown, Received = Sent> = {
  readonly key: string;
  readonly schema: StandardSchema<Sent, Received> | undefined;
};

/** Derives an event key from arguments, so that waits and senders use the same key. */
export type EventDefinition<Args extends unknown[], Sent = unknown, Received = Sent> = ((
  ...args: Args
) => EventRef<Sent, Received>) & { readonly schema: StandardSchema<Sent, Received> | undefined };

/**
 * Defines an event with a key pattern and a payload schema.
 *
 *   const approved = defineEvent({ key: (order: { id: string }) => `approve:${order.id}`, schema: z.object({ by: z.string() }) });
 */
export function defineEvent<Args extends unknown[], S extends StandardSchema<unknown, unknown>>(definition: {
  key: (...args: Args) => string;
  schema: S;
}): EventDefinition<Args, InputOf<S>, OutputOf<S>>;
export function defineEvent<Args extends unknown[]>(definition: {
  key: (...args: Args) => string;
}): EventDefinition<Args>;
export function defineEvent<Args extends unknown[]>(definition: {
  key: (...args: Args) => string;
  schema?: StandardSchema;
}): EventDefinition<Args> {
  const { key, schema } = definition;
  return Object.assign((...args: Args) => ({ key: key(...args), schema }), { schema });
}
