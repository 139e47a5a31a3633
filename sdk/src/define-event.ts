import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";

/**
 * An event key to wait for or send to, with the type of its payload.
 *
 * @example
 * const ref: EventRef<{ by: string }> = approved({ id: "o-1" });
 * await client.events.send(ref, { by: "ann" });
 */
export type EventRef<Sent = unknown, Received = Sent> = {
  readonly key: string;
  readonly schema: StandardSchema<Sent, Received> | undefined;
};

/**
 * Derives an event key from arguments, so that waits and senders use the same key.
 *
 * @example
 * const approve = (event: EventDefinition<[order: { id: string }], { by: string }>, id: string) =>
 *   client.events.send(event({ id }), { by: "ann" });
 */
export type EventDefinition<Args extends unknown[], Sent = unknown, Received = Sent> = ((
  ...args: Args
) => EventRef<Sent, Received>) & { readonly schema: StandardSchema<Sent, Received> | undefined };

/**
 * Defines an event. The schema validates and types its payload.
 *
 * @example
 * export const approved = defineEvent({
 *   key: (order: { id: string }) => `approve:${order.id}`,
 *   schema: z.object({ by: z.string() }),
 * });
 */
export function defineEvent<Args extends unknown[], S extends StandardSchema<unknown, unknown>>(definition: {
  key: (...args: Args) => string;
  schema: S;
}): EventDefinition<Args, InputOf<S>, OutputOf<S>>;
/**
 * Defines an event with any payload.
 *
 * @example
 * export const shipped = defineEvent({ key: (order: { id: string }) => `shipped:${order.id}` });
 */
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
