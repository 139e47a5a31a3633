import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { wakeNext } from "../../limits/unblock-next.ts";
import { changeRun, refuseEnded, transitionRun } from "../change-run.ts";
import type { LockedRun, RunKey } from "../lock-runs.ts";
import { queueRuns } from "../queue-run.ts";

/**
 * Pauses a queued run at once; one that runs or waits for an event is paused when it is next queued. `alongside` is
 * written with the change, if there is one. False: there is no such run.
 */
export function pauseRun<C extends Ctx>(
  ctx: C,
  key: RunKey,
  alongside: (tx: C & InTransaction, run: LockedRun) => Promise<void>,
): Promise<boolean> {
  return changeRun(ctx, key, async (tx, run) => {
    refuseEnded(run);
    if (run.status === "paused" || run.pause_requested) return;
    await (run.status === "pending" ? pauseNow(tx, run) : requestPause(tx, run, true));
    await alongside(tx, run);
  });
}

async function pauseNow(tx: Ctx & InTransaction, run: LockedRun): Promise<void> {
  await sql`
    delete from run_queue where project_id = ${run.project_id} and run_id = ${run.id}`.execute(tx.db);
  await transitionRun(tx, run, { to_status: "paused", cause: "paused" });
  await wakeNext(tx, [run]);
}

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
    await (run.status === "paused" ? queueAgain(tx, run) : requestPause(tx, run, false));
    await alongside(tx, run);
  });
}

async function queueAgain(tx: Ctx & InTransaction, run: LockedRun): Promise<void> {
  await transitionRun(tx, run, { to_status: "pending", cause: "resumed" });
  await queueRuns(tx, [{ project_id: run.project_id, run_id: run.id }]);
}

async function requestPause(tx: Ctx & InTransaction, run: LockedRun, pause_requested: boolean): Promise<void> {
  await sql`
    update runs set pause_requested = ${pause_requested}, updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id}`.execute(tx.db);
}
