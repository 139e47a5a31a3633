import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { changeRun } from "../change-run.ts";
import type { LockedRun, RunKey } from "../lock-runs.ts";
import { moveRun } from "../move-run.ts";
import { queueRuns } from "../queue-run.ts";
import { refuseEnded } from "../refuse-ended.ts";

/**
 * Gives a paused run a new queue row; if a pause was only requested, withdraws the request. `alongside` is written with
 * the change, if there is one. False: there is no such run.
 */
export function resumeRun<C extends Ctx>(
  ctx: C,
  key: RunKey,
  alongside: (tx: C & InTransaction, run: LockedRun) => Promise<void>,
): Promise<boolean> {
  return changeRun(ctx, key, async (tx, run) => {
    refuseEnded(run);
    if (run.status !== "paused" && !run.pause_requested) return;
    await (run.status === "paused" ? queueAgain(tx, run) : withdrawPause(tx, run));
    await alongside(tx, run);
  });
}

async function queueAgain(tx: Ctx & InTransaction, run: LockedRun): Promise<void> {
  await moveRun(tx, run, { to_status: "pending", cause: "resumed" });
  await queueRuns(tx, [{ project_id: run.project_id, run_id: run.id }]);
}

async function withdrawPause(tx: Ctx & InTransaction, run: LockedRun): Promise<void> {
  await sql`
    update runs set pause_requested = false, updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id}`.execute(tx.db);
}
