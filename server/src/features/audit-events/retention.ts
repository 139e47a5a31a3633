import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { RemovedPage, RetentionEntry } from "../../platform/retention/retention-entry.ts";
import { signHead } from "./chain.ts";
import { lockHead } from "./heads.ts";

export const auditEventRetention: RetentionEntry[] = [
  // The new beginning of a project's chain is signed.
  { name: "audit_events", page: 1_000, removePage: removeOldEvents },
];

/** Removes expired events from the beginning of one project's chain, and signs its new beginning. */
async function removeOldEvents(ctx: Ctx, page: number): Promise<RemovedPage> {
  const { rows } = await sql<{ project_id: string }>`
    select h.project_id from audit_heads h, lateral (
      select e.created_at from audit_events e
      where e.project_id = h.project_id and e.chain_no = h.start_no + 1
    ) oldest
    where oldest.created_at < clock() - ${ctx.config.audit_retention_secs} * interval '1 second' limit 1`.execute(
    ctx.db,
  );
  const [project] = rows;
  if (!project) return { removed: 0, more: false };
  return { removed: await inTransaction(ctx, (tx) => removeFrom(tx, project.project_id, page)), more: true };
}

/** Keeps the newest event: the chain continues from its hash even if the head is lost. */
async function removeFrom(tx: Ctx & InTransaction, project_id: string, page: number): Promise<number> {
  const head = await lockHead(tx, project_id);
  const { rows } = await sql<{ chain_no: number; hash: Buffer }>`
    with old as (
      select e.id, e.chain_no, e.hash from audit_events e
      where e.project_id = ${project_id} and e.chain_no > ${head.start_no} and e.chain_no <= ${head.start_no + page}
        and e.created_at < clock() - ${tx.config.audit_retention_secs} * interval '1 second'
      order by e.chain_no
    ),
    -- Sealing follows the time closely, not exactly: only an unbroken sequence from the beginning is deleted.
    row_of_them as (
      select id, chain_no, hash from (
        select old.*, chain_no - row_number() over (order by chain_no) as gap from old
      ) o where gap = ${head.start_no}
    ),
    gone as (
      delete from audit_events e using row_of_them o where e.project_id = ${project_id} and e.id = o.id returning 1
    )
    select chain_no::int as chain_no, hash from row_of_them order by row_of_them.chain_no desc limit 1`.execute(tx.db);
  const last = rows[0];
  if (!last) return 0;
  const signature = signHead(tx.config, "start", { project_id, no: last.chain_no, hash: last.hash });
  await sql`
    update audit_heads set start_no = ${last.chain_no}, start_hash = ${last.hash}, start_signature = ${signature}
    where project_id = ${project_id}`.execute(tx.db);
  return last.chain_no - head.start_no;
}
