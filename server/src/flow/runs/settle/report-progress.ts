import type { SdkProgress, SdkProgressBody } from "@millrace/contract/sdk-records";
import { sql } from "kysely";
import type { RunCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wake.ts";
import { lockLiveRun } from "./fence.ts";

export const RUN_PROGRESS_TOPIC = "run-progress";

/** The progress that the run itself reports. The last report counts. It is not a transition, but watchers are notified. */
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
