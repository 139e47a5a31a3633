import { MAX_STATE_BYTES, type SdkCheckpointBody, type SdkRecord } from "@millrace/contract/runs/sdk-records";
import { lockLiveRun } from "../../flow/runs/settle/fence.ts";
import { reportState } from "../../flow/runs/settle/run-reports.ts";
import type { RunCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";

/** Stores a state in the run's history, and as the one from which the next attempt resumes. */
export async function saveCheckpoint(ctx: RunCtx, { state }: SdkCheckpointBody): Promise<SdkRecord> {
  const text = JSON.stringify(state);
  refuseLarge("body.state", text, MAX_STATE_BYTES);
  return inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    await reportState(tx, text);
    const { rows } = await sql<SdkRecord>`
      insert into run_checkpoints (project_id, run_id, id, attempt, state, created_at)
      values (${tx.project_id}, ${tx.run_id}, ${newId()}, ${tx.attempt}, ${text}::jsonb, clock())
      returning id, created_at`.execute(tx.db);
    return rows[0] as SdkRecord;
  });
}

/** Size in bytes of JSON, as it is stored and sent. */
export function refuseLarge(location: string, json: string, max: number): void {
  const bytes = Buffer.byteLength(json);
  if (bytes > max) throw invalid(location, `has ${bytes} bytes as JSON; the maximum is ${max}`, null);
}
