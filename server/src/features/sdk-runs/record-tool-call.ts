import type { SdkRecord, SdkToolCallBody } from "@millrace/contract/runs/sdk-records";
import { lockLiveRun } from "../../flow/runs/settle/fence.ts";
import type { RunCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";

export async function recordToolCall(ctx: RunCtx, body: SdkToolCallBody): Promise<SdkRecord> {
  const { name, error = null, duration_ms = null } = body;
  const status = body.status ?? (error === null ? "completed" : "failed");
  return inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    const { rows } = await sql<SdkRecord>`
      insert into run_tool_calls (project_id, run_id, id, attempt, name, status, input, output, error, duration_ms,
        created_at)
      values (${tx.project_id}, ${tx.run_id}, ${newId()}, ${tx.attempt}, ${name}, ${status},
        ${jsonOf(body.input)}::jsonb, ${jsonOf(body.output)}::jsonb, ${error}, ${duration_ms}, clock())
      returning id, created_at`.execute(tx.db);
    return rows[0] as SdkRecord;
  });
}

/** Stores SQL null for a missing value and for JSON null. */
function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
