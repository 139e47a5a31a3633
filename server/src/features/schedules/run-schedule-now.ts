import type { RunRow } from "../../flow/run-columns.ts";
import { noteScheduledRun } from "../../flow/schedule-rows.ts";
import { announceScheduledRun, startScheduledRun } from "../../flow/start-scheduled-run.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { findRunOf, lockSchedule } from "./queries.ts";

/** Starts a run as one of its times would, beside them: also while it is paused, whatever still runs. */
export async function runScheduleNow(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const run_id = newId();
  const { lanes, run } = await inTransaction(ctx, async (tx) => {
    const schedule = await lockSchedule(tx, id);
    if (!schedule) throw notFound("schedule");
    const asked = { run_id, created_by: ctx.caller.name, scheduled_at: null };
    const started = await startScheduledRun(tx, schedule, asked);
    await noteScheduledRun(tx, schedule, run_id);
    return { lanes: started, run: await findRunOf(tx, run_id) };
  });
  announceScheduledRun(ctx, lanes);
  if (!run) throw notFound("run");
  return run;
}
