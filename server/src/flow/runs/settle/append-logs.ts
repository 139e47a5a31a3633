import type { SdkLogBody, SdkLogLine } from "@millrace/contract/runs/sdk-records";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { appendRunRows } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { RunCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { parseInstant } from "../../../platform/time/instant.ts";
import { lockLiveRun } from "./fence.ts";

/** Stores one or many lines atomically, with ids that increase in the order they were sent. */
export async function appendLogs(ctx: RunCtx, body: SdkLogBody): Promise<{ accepted: number }> {
  const lines = linesOf(body);
  await inTransaction(ctx, async (tx) => {
    const { job_id } = await lockLiveRun(tx);
    await sql`
      with written as (
        insert into run_logs (project_id, run_id, id, job_id, attempt, level, message, fields, logged_at, created_at)
        select ${tx.project_id}, ${tx.run_id}, l.id, ${job_id}, ${tx.attempt}, l.level, l.message, l.fields,
          coalesce(l.logged_at, clock()), clock()
        from json_to_recordset(${JSON.stringify(lines)}::json)
          as l(id uuid, level text, message text, fields jsonb, logged_at timestamptz)
        returning project_id, run_id, id, created_at
      ),
      ${appendRunRows("run_log", sql`written`)}
      select 1`.execute(tx.db);
    changesAppended(tx, "run_log");
  });
  return { accepted: lines.length };
}

function linesOf({ logs, message, ...rest }: SdkLogBody) {
  if (logs === undefined && message === undefined)
    throw invalid("body.message", "is required unless `logs` is given", null);
  if (logs === undefined) return [readLine("body", { ...rest, message: message ?? "" })];
  const [extra] = Object.keys({ ...rest, ...(message !== undefined && { message }) });
  if (extra !== undefined) throw invalid(`body.${extra}`, "cannot be given together with `logs`", null);
  return logs.map((line, index) => readLine(`body.logs[${index}]`, line));
}

/** Why a line, which fits its schema, cannot be stored. */
export function lineIssues(location: string, line: SdkLogLine): ProblemError[] {
  try {
    readLine(location, line);
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.errors;
    throw error;
  }
}

function readLine(location: string, { level = "info", message, fields = null, logged_at }: SdkLogLine) {
  const at = logged_at === undefined ? null : parseInstant(`${location}.logged_at`, logged_at);
  return { id: newId(), level, message, fields, logged_at: at };
}
