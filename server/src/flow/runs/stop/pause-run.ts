import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { wakeNext } from "../../limits/wake-next.ts";
import { changeRun } from "../change-run.ts";
import type { LockedRun, RunKey } from "../lock-runs.ts";
import { moveRun } from "../move-run.ts";
import { refuseEnded } from "../refuse-ended.ts";

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
    await (run.status === "pending" ? pauseNow(tx, run) : pauseLater(tx, run));
    await alongside(tx, run);
  });
}

async function pauseNow(tx: Ctx & InTransaction, run: LockedRun): Promise<void> {
  await sql`
    delete from run_queue where project_id = ${run.project_id} and run_id = ${run.id}`.execute(tx.db);
  await moveRun(tx, run, { to_status: "paused", cause: "paused" });
  await wakeNext(tx, [run]);
}

async function pauseLater(tx: Ctx & InTransaction, run: LockedRun): Promise<void> {
  await sql`
    update runs set pause_requested = true, updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id}`.execute(tx.db);
}
