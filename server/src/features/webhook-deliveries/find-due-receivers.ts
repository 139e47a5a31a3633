import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";

/** Deliveries queue per project and receiving host; the pair is a receiver. */
export type Receiver = { project_id: string; host: string };

type WalkedReceiver = Receiver & { is_due: boolean };

/** Sorts before every receiver: no project has this id. */
const START: Receiver = { project_id: "00000000-0000-0000-0000-000000000000", host: "" };

/** A delivery is pending, due or not. */
export const HAS_PENDING_DELIVERIES = sql`(
  select true from webhook_deliveries d where d.status = 'pending'
  order by d.project_id, d.host, d.next_attempt_at limit 1)`;

/**
 * Returns which of the next receivers after a given one have due deliveries. A loose index scan touches one entry per
 * receiver, so the cost depends on the number of receivers, not on how many deliveries pile up for one. `next` is the
 * cursor.
 */
export async function findDueReceivers(
  ctx: Ctx,
  after: Receiver | undefined,
  max: number,
): Promise<{ due: Receiver[]; next: Receiver | undefined }> {
  const { project_id, host } = after ?? START;
  const { rows } = await sql<WalkedReceiver>`
    /* prepared */
    with recursive receivers as (
      select n.*, 1 as nth from (
        select d.project_id, d.host, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.project_id, d.host) > (${project_id}::uuid, ${host}::text)
        order by d.project_id, d.host, d.next_attempt_at limit 1
      ) n
      union all
      select n.*, receivers.nth + 1 from receivers, lateral (
        select d.project_id, d.host, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.project_id, d.host) > (receivers.project_id, receivers.host)
        order by d.project_id, d.host, d.next_attempt_at limit 1
      ) n where receivers.nth < ${max}
    )
    select project_id, host, next_attempt_at <= clock() as is_due from receivers order by nth`.execute(ctx.db);
  const due = rows.filter((receiver) => receiver.is_due);
  return { due, next: rows.length === max ? rows.at(-1) : undefined };
}
