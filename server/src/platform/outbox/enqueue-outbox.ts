import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { wake } from "../wakeups/wake.ts";

export type OutboxEntry = {
  project_id: string;
  /** The transition that causes it. An entry is unique by transition, kind and target. */
  transition_id: string;
  kind: string;
  target_id: string;
  detail?: unknown;
};

/** Enqueues the outbox entries of a transition, in its transaction; they are processed after its commit. Idempotent. */
export async function enqueueOutbox(ctx: Ctx & InTransaction, entries: readonly OutboxEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into outbox (project_id, transition_id, kind, target_id, detail, created_at)
    select e.project_id, e.transition_id, e.kind, e.target_id, e.detail, clock()
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      as e(project_id uuid, transition_id text, kind text, target_id text, detail jsonb)
    on conflict (project_id, transition_id, kind, target_id) do nothing
  `.execute(ctx.db);
  wake(ctx, "outbox");
}
