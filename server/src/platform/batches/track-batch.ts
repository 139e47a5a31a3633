import type { BatchKind } from "@millrace/contract/runs/batch-operations";
import { tokenLimitsOf } from "../access/credentials/token-limits.ts";
import { boundEnvironment } from "../access/environments.ts";
import { isUnrestricted } from "../access/policies/policies.ts";
import { actorOf } from "../actor.ts";
import { appendStates } from "../changelog/append-changes.ts";
import { changesAppended } from "../changelog/wake-readers.ts";
import type { InTransaction, ProjectCtx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";

export type NewBatch = {
  /** Generated here unless the caller needed it before. */
  id?: string;
  kind: BatchKind;
  total: number;
  request?: unknown;
  /** The resolved request, for the instance that executes the batch. Not shown. */
  plan?: unknown;
  /** Executed by a background task, which claims it (`claim-batch.ts`). */
  is_background?: boolean;
};

/** Creates a batch operation. Its id is set on the runs it creates; `advanceBatch` moves its progress. */
export async function trackBatch(ctx: ProjectCtx & InTransaction, batch: NewBatch): Promise<string> {
  const { id = newId() } = batch;
  const { caller } = ctx;
  const by = actorOf(caller);
  await sql`
    /* prepared */
    with tracked as (
      insert into batch_operations (
        project_id, id, kind, status, request, plan, total, access, environment_id, created_by, created_by_id, created_at,
        updated_at)
      values (${ctx.project_id}, ${id}, ${batch.kind}, ${batch.is_background ? "pending" : "running"},
        ${JSON.stringify(batch.request ?? null)}, ${JSON.stringify(batch.plan ?? null)}, ${batch.total}, ${accessOf(ctx)},
        ${boundEnvironment(caller)}, ${by.name}, ${by.id}, clock(), clock())
      returning project_id, id
    ),
    ${appendStates("batch_operation", sql`tracked`)}
    select 1
  `.execute(ctx.db);
  changesAppended(ctx, "batch_operation");
  return id;
}

/** As JSON, for `onBehalfOf`. Null for most callers, who have no restrictions. */
function accessOf({ caller, access }: ProjectCtx): string | null {
  const limits = tokenLimitsOf(caller);
  return (!access || isUnrestricted(access)) && !limits ? null : JSON.stringify({ access, limits });
}
