import type { SdkOutputBody, SdkRecord } from "@millrace/contract/sdk-records";
import { sql } from "kysely";
import { lockLiveRun } from "../../flow/runs/settle/fence.ts";
import type { RunCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";

/** A named output in addition to the result. Repeating a name adds another output; it does not replace the first. */
export async function recordOutput(ctx: RunCtx, { name, value }: SdkOutputBody): Promise<SdkRecord> {
  return inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    const { rows } = await sql<SdkRecord>`
      insert into run_outputs (project_id, run_id, id, attempt, name, value, created_at)
      values (${tx.project_id}, ${tx.run_id}, ${newId()}, ${tx.attempt}, ${name}, ${JSON.stringify(value)}::jsonb,
        clock())
      returning id, created_at`.execute(tx.db);
    return rows[0] as SdkRecord;
  });
}
