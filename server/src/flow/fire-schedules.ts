import { sql } from "kysely";
import type { Ctx } from "../platform/context.ts";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import { tellFailure } from "../platform/tell-failure.ts";
import { type DueSchedule, fireSchedule } from "./fire-schedule.ts";

const PAGE = 100;
const AT_ONCE = 4; // of the ten connections of an instance

/** One that is late may have its next time due already. */
type Candidate = DueSchedule & { is_late: boolean };

/** Fires what is due, a page at a time. True: there may be more. */
export async function fireSchedules(ctx: Ctx): Promise<boolean> {
  const due = await listDue(ctx);
  const mayBeMore = due.length === PAGE || due.some((each) => each.is_late);
  // All of them have ended when the turn does, also when one was stopped by a lost database.
  const workers = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => fireAll(ctx, due)));
  const counts = workers.map((worker) => {
    if (worker.status === "rejected") throw worker.reason;
    return worker.value;
  });
  // Where none could be fired, another look at once would find the same.
  return mayBeMore && counts.some((fired) => fired > 0);
}

/** Takes from the list until it is empty, and answers how many it fired. */
async function fireAll(ctx: Ctx, due: DueSchedule[]): Promise<number> {
  let fired = 0;
  for (let next = due.pop(); next; next = due.pop()) if (await tryToFire(ctx, next)) fired++;
  return fired;
}

/** Candidates, unlocked and over all projects; in no order, so that instances do not queue up behind one another. */
async function listDue(ctx: Ctx): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    /* kept */
    select * from (
      select project_id, id, workflow_id, next_fire_at, overlap_policy, next_fire_at <= clock() - interval '1 second' as is_late
      from schedules
      where next_fire_at <= clock() and paused_at is null and next_fire_at is not null
      order by next_fire_at limit ${sql.lit(PAGE)}
    ) due order by random()`.execute(ctx.db);
  return rows;
}

/** One that fails stays due and is tried again; it does not keep the others. */
async function tryToFire(ctx: Ctx, due: DueSchedule): Promise<boolean> {
  try {
    return await fireSchedule(ctx, due);
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    tellFailure(ctx, error, { schedule_id: due.id, project_id: due.project_id }, "a schedule could not be fired");
    return false;
  }
}
