import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { changeRun, type FollowUp, NO_FOLLOW_UP } from "./change-run.ts";
import type { LockedRun, RunKey } from "./lock-runs.ts";
import { moveRun } from "./move-run.ts";
import { refuseEnded } from "./refuse-ended.ts";
import { wakeNext } from "./wake-next.ts";

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
    if (run.status === "paused" || run.pause_requested) return NO_FOLLOW_UP;
    const followUp = run.status === "pending" ? await pauseNow(tx, run) : await pauseLater(tx, run);
    await alongside(tx, run);
    return followUp;
  });
}

async function pauseNow(tx: Ctx & InTransaction, run: LockedRun): Promise<FollowUp> {
  await sql`
    delete from run_queue where project_id = ${run.project_id} and run_id = ${run.id}`.execute(tx.db);
  const move = await moveRun(tx, run, { to_status: "paused", cause: "paused" });
  return { moves: [move], lanes: await wakeNext(tx, [run]) };
}

async function pauseLater(tx: Ctx & InTransaction, run: LockedRun): Promise<FollowUp> {
  await sql`
    update runs set pause_requested = true, updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id}`.execute(tx.db);
  return NO_FOLLOW_UP;
}
