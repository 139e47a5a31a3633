import { sql } from "kysely";
import type { RunCtx } from "../../../platform/context.ts";
import { TRIGGER_COLUMNS, type TriggerRow } from "../read-trigger.ts";
import type { WaitKind } from "../send/internal-key.ts";

export type OwnWait = TriggerRow & { child_run_id: string | null };

/** The wait that the calling attempt has opened: it did not receive the response and retries. */
export async function findOwnWait(ctx: RunCtx, wait_kind: WaitKind): Promise<OwnWait | undefined> {
  const { rows } = await sql<OwnWait>`
    select ${TRIGGER_COLUMNS}, t.child_run_id from runs r
    join event_triggers t on t.project_id = r.project_id and t.job_run_id = r.id and t.ordinal = r.waits
    where r.project_id = ${ctx.project_id} and r.id = ${ctx.run_id} and r.attempt = ${ctx.attempt}
      and r.status = 'waiting' and t.job_run_id is not null and t.status = 'waiting'
      and t.wait_kind = ${wait_kind}`.execute(ctx.db);
  return rows[0];
}
