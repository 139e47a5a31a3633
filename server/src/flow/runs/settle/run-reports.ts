import type { SdkMetadata, SdkMetadataBody, SdkProgress, SdkProgressBody } from "@millrace/contract/runs/sdk-records";
import type { SdkHeartbeat } from "@millrace/contract/runs/sdk-runs";
import { signRunToken } from "../../../platform/access/credentials/run-token.ts";
import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { MAX_TAGS, readTags } from "../create/merge-tags.ts";
import { findLostRun, lockLiveRun, refuseLostRun, tryLockLiveRun } from "./fence.ts";

/** A heartbeat. Returns a fresh token and whether the job must stop or pause. */
export async function heartbeatRun(ctx: RunCtx): Promise<SdkHeartbeat> {
  const live = await inTransaction(ctx, tryLockLiveRun);
  if (!live) return describeLost(ctx);
  const token = signRunToken(ctx, {
    run_id: ctx.run_id,
    project_id: ctx.project_id,
    attempt: ctx.attempt,
    lease_token: live.lease_token,
    deadline: live.deadline,
  });
  return { token, deadline: live.deadline, cancel_requested: false, pause_requested: live.pause_requested };
}

/** An attempt whose run was canceled meanwhile gets that as a result, not an error: it can stop cleanly. */
async function describeLost(ctx: RunCtx): Promise<SdkHeartbeat> {
  const { status, attempt } = await findLostRun(ctx);
  if (status !== "canceled" || attempt !== ctx.attempt) return refuseLostRun(ctx);
  return { token: null, deadline: null, cancel_requested: true, pause_requested: false };
}

export const RUN_PROGRESS_TOPIC = "run-progress";

/**
 * The progress that the run itself reports. The last report counts. It is not a transition, but watchers are notified.
 */
export function reportProgress(ctx: RunCtx, { percent, message }: SdkProgressBody): Promise<SdkProgress> {
  return inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    const { rows } = await sql<{ updated_at: string }>`
      update runs set updated_at = clock(),
        progress = jsonb_build_object('percent', ${percent}::float8, 'message', ${message ?? null}::text,
          'updated_at', to_char(clock() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      where project_id = ${tx.project_id} and id = ${tx.run_id} and status = 'running'
      returning progress->>'updated_at' as updated_at`.execute(tx.db);
    wake(tx, RUN_PROGRESS_TOPIC, `${tx.project_id}:${tx.run_id}`);
    return { percent, message: message ?? null, updated_at: rows[0]?.updated_at ?? "" };
  });
}

/** The state from which the next attempt continues. Call it under the fence. */
export async function reportState(ctx: RunCtx & InTransaction, state_json: string): Promise<void> {
  await sql`
    update runs set state = ${state_json}::jsonb, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${ctx.run_id} and status = 'running'`.execute(ctx.db);
}

const MAX_METADATA = 50;

/** Merges tags and metadata into those of the run, name by name. */
export async function reportMetadata(ctx: RunCtx, { tags, metadata }: SdkMetadataBody): Promise<SdkMetadata> {
  return inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    const { rows } = await sql<SdkMetadata>`
      update runs set tags = tags || ${JSON.stringify(readTags(tags))}::jsonb,
        metadata = metadata || ${JSON.stringify(metadata ?? {})}::jsonb, updated_at = clock()
      where project_id = ${tx.project_id} and id = ${tx.run_id} and status = 'running'
      returning tags, metadata`.execute(tx.db);
    if (!rows[0]) throw new Error("the fenced run was not found");
    refuseTooMany("body.tags", rows[0].tags, MAX_TAGS);
    refuseTooMany("body.metadata", rows[0].metadata, MAX_METADATA);
    return rows[0];
  });
}

/** Each call may be small: the limit is on the sum. */
function refuseTooMany(location: string, merged: object, max: number): void {
  const count = Object.keys(merged).length;
  if (count > max) throw invalid(location, `the run would have ${count} of them; at most ${max} are allowed`, null);
}
