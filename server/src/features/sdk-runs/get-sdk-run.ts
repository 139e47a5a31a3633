import type { SdkRun } from "@millrace/contract/sdk-runs";
import { sql } from "kysely";
import { lockLiveRun } from "../../flow/runs/settle/fence.ts";
import { readWaits } from "../../flow/waits/read-trigger.ts";
import type { RunCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";

/** Returns the run as it was dispatched, for a job that has lost its request. Variables are not returned again. */
export async function getSdkRun(ctx: RunCtx): Promise<SdkRun> {
  return inTransaction(ctx, async (tx) => {
    const { deadline } = await lockLiveRun(tx);
    const { rows } = await sql<Omit<SdkRun, "deadline" | "waits"> & { waits: number }>`
      select id, job_id, attempt, max_attempts, tries_used, payload, metadata, tags,
        coalesce(checkpoint, state) as checkpoint, state, waits
      from runs where project_id = ${tx.project_id} and id = ${tx.run_id}`.execute(tx.db);
    if (!rows[0]) throw new Error("the row of the locked run is missing");
    const waits = rows[0].waits > 0 ? JSON.parse(await readWaits(tx, tx)) : [];
    return { ...rows[0], waits, deadline };
  });
}
