import { createHash } from "node:crypto";
import { writeCanonicalJson } from "../../platform/json/canonical-json.ts";

/** The sealed content of an event: every recorded field. Its number in the chain is hashed with it. */
export type ChainedEvent = {
  project_id: string;
  id: string;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  before: unknown;
  after: unknown;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  created_at: string;
};

/** The same with `before` and `after` as JSON text, as read from the database. */
export type StoredEvent = Omit<ChainedEvent, "before" | "after"> & { before: string | null; after: string | null };

/** The hash before the first event. */
export const NO_HASH = Buffer.alloc(32);

/**
 * The hash of an event: over the previous hash and the canonical JSON of the event with its number. For `inSlices`: a
 * workflow before and after a change has up to 100,000 values.
 */
export function* chainHash(previous: Buffer, chain_no: number, event: ChainedEvent): Generator<void, Buffer> {
  const { project_id, id, actor_kind, actor_id, actor_name, action, resource_type, resource_id } = event;
  const { before, after, ip, user_agent, request_id, created_at } = event;
  const what = { project_id, id, actor_kind, actor_id, actor_name, action, resource_type, resource_id };
  const text = yield* writeCanonicalJson({ chain_no, ...what, before, after, ip, user_agent, request_id, created_at });
  return createHash("sha256").update(previous).update(text).digest();
}

/** The same for a stored event, whose JSON texts are parsed one at a time. */
export function* storedHash(previous: Buffer, chain_no: number, event: StoredEvent): Generator<void, Buffer> {
  const before = event.before === null ? null : JSON.parse(event.before);
  yield;
  const after = event.after === null ? null : JSON.parse(event.after);
  yield;
  return yield* chainHash(previous, chain_no, { ...event, before, after });
}
