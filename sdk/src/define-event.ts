import type { InputOf, OutputOf, StandardSchema } from "./standard-schema.ts";

/** One key to wait for or to send to, and what its events hold. */
export type EventRef<Sent = unknown, Received = Sent> = {
  readonly key: string;
  readonly schema: StandardSchema<Sent, Received> | undefined;
};

/** Makes the key of an event from what tells it apart; waiters and senders share it. */
export type EventDefinition<Args extends unknown[], Sent = unknown, Received = Sent> = ((
  ...args: Args
) => EventRef<Sent, Received>) & { readonly schema: StandardSchema<Sent, Received> | undefined };

/**
 * An event that is sent and waited for under keys of one form.
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
