import { createHash } from "node:crypto";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { hashJson } from "../../platform/json/hash-json.ts";

/** The idempotency key of a sender, valid for 24 hours. `target`: the event key or the prefix. */
export type SendKey = { project_id: string; target: string; key: string; content: unknown };

/** The first send under it. `started_at` is its time. */
export type FirstSend = { id: string; started_at: string; is_first: boolean };

const NO_ENVIRONMENT = "00000000-0000-0000-0000-000000000000";

/**
 * Records this send, or returns the previous one under the same key; other content is refused. A concurrent request
 * with the key waits here for the first to commit.
 */
export async function claimSendKey(tx: Ctx & InTransaction, send: SendKey, id: string): Promise<FirstSend> {
  const { project_id, key } = send;
  const [target_id, hash] = [targetOf(send), await hashJson(send.content)];
  await sql`
    insert into idempotency_keys as k (project_id, target_id, environment_id, key, body_hash, run_id, expires_at)
    values (${project_id}, ${target_id}, ${NO_ENVIRONMENT}, ${key}, decode(${hash}, 'hex'), ${id},
      clock() + interval '24 hours')
    on conflict (project_id, target_id, environment_id, key) do update
    set body_hash = excluded.body_hash, run_id = excluded.run_id, expires_at = excluded.expires_at
    where k.expires_at <= clock()`.execute(tx.db);
  const { rows } = await sql<{ id: string; body_hash: string; started_at: string }>`
    select run_id as id, encode(body_hash, 'hex') as body_hash,
      (expires_at - interval '24 hours')::timestamptz(3) as started_at
    from idempotency_keys
    where project_id = ${project_id} and target_id = ${target_id} and environment_id = ${NO_ENVIRONMENT}
      and key = ${key}`.execute(tx.db);
  const holder = rows[0];
  if (!holder) throw new Error("the key is gone");
  if (holder.body_hash !== hash) {
    throw new ApiError("idempotency_conflict", "The idempotency key was used for another request.");
  }
  return { id: holder.id, started_at: holder.started_at, is_first: holder.id === id };
}

/** The result is known only after the send: the trigger that received it, or the buffered event, and since when. */
export async function setSendKeyResult(
  tx: Ctx & InTransaction,
  send: SendKey,
  { id, started_at }: { id: string; started_at: string | null },
): Promise<void> {
  await sql`
    update idempotency_keys set run_id = ${id},
      expires_at = coalesce(${started_at}::timestamptz + interval '24 hours', expires_at)
    where project_id = ${send.project_id} and target_id = ${targetOf(send)} and environment_id = ${NO_ENVIRONMENT}
      and key = ${send.key}`.execute(tx.db);
}

/** The column is an id: derived from the text. */
function targetOf({ target }: SendKey): string {
  const hex = hashOf(target);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
