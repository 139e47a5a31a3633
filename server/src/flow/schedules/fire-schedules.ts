import type { Ctx } from "../../platform/context.ts";
import { isConnectionLoss } from "../../platform/database/database-errors.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { groupBy } from "../../platform/group-by.ts";
import { logFailure } from "../../platform/logging/log-failure.ts";
import { type DueRows, hasDue, processDue } from "../runs/maintain/process-due-rows.ts";
import { type DueSchedule, fireSchedule, fireTogether } from "./fire-schedule.ts";

const PAGE = 100;
const SCHEDULES: DueRows = {
  name: "fire-schedules",
  rows: sql`schedules t where t.paused_at is null and t.next_fire_at is not null`,
  at: sql`t.next_fire_at`,
};

/** A schedule is due. */
export const HAS_DUE_SCHEDULES = hasDue(SCHEDULES);
const CONCURRENCY = 4; // of the ten connections of an instance
/** Fired in one transaction: a part of a page, so that each connection and instance has its share. */
const TOGETHER = 25;

/** The next time of a late schedule may be due already. */
type Candidate = DueSchedule & { is_late: boolean };

/** Fires due schedules, a page at a time. True: there may be more. */
export async function fireSchedules(ctx: Ctx): Promise<boolean> {
  let [isLate, fired] = [false, 0];
  const isFull = await processDue(ctx, SCHEDULES, PAGE, async (ofProject, max) => {
    const due = await listDue(ctx, ofProject, max);
    const count = due.length;
    isLate ||= due.some((each) => each.is_late);
    fired += await fireSome(ctx, due);
    return count;
  });
  // If none could be fired, an immediate second pass would find the same schedules.
  return (isFull || isLate) && fired > 0;
}

/** Returns how many were fired. */
async function fireSome(ctx: Ctx, due: DueSchedule[]): Promise<number> {
  const parts = partsOf(due);
  // All have finished when the pass ends, even if a lost database connection stopped one.
  const workers = await Promise.allSettled(Array.from({ length: CONCURRENCY }, () => fireAll(ctx, parts)));
  return workers.reduce((sum, worker) => {
    if (worker.status === "rejected") throw worker.reason;
    return sum + worker.value;
  }, 0);
}

/** Schedules of a project fire together, except those that start workflows or must not overlap. */
function partsOf(due: DueSchedule[]): DueSchedule[][] {
  const isPlain = (each: DueSchedule) => each.workflow_id === null && each.overlap_policy === "allow";
  const groups = groupBy(due, (each) => (isPlain(each) ? each.project_id : each.id));
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / TOGETHER) }, (_, nth) =>
      group.slice(nth * TOGETHER, (nth + 1) * TOGETHER),
    ),
  );
}

/** Takes parts from the list until it is empty, and returns how many schedules it fired. */
async function fireAll(ctx: Ctx, parts: DueSchedule[][]): Promise<number> {
  let fired = 0;
  for (let next = parts.pop(); next; next = parts.pop()) fired += await firePart(ctx, next);
  return fired;
}

/** One that is refused stops those it was to fire with: halves of them are tried, down to it alone. */
async function firePart(ctx: Ctx, part: DueSchedule[]): Promise<number> {
  const [first, second] = part;
  if (!first) return 0;
  if (!second) return (await tryToFire(ctx, first)) ? 1 : 0;
  try {
    return await fireTogether(ctx, first.project_id, part);
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    const half = part.length >> 1;
    return (await firePart(ctx, part.slice(0, half))) + (await firePart(ctx, part.slice(half)));
  }
}

/** Candidates, unlocked; in no order, so that instances do not queue up behind one another. */
async function listDue(ctx: Ctx, ofProject: Sql, max: number): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    /* prepared */
    select * from (
      select project_id, id, workflow_id, next_fire_at, overlap_policy, next_fire_at <= clock() - interval '1 second' as is_late
      from schedules
      where next_fire_at <= clock() and paused_at is null and next_fire_at is not null ${ofProject}
      order by next_fire_at limit ${sql.lit(max)}
    ) due order by random()`.execute(ctx.db);
  return rows;
}

/** A schedule that fails stays due and is retried; it does not delay the others. */
async function tryToFire(ctx: Ctx, due: DueSchedule): Promise<boolean> {
  try {
    return await fireSchedule(ctx, due);
  } catch (error) {
    if (isConnectionLoss(error)) throw error;
    logFailure(ctx, error, { schedule_id: due.id, project_id: due.project_id }, "a schedule could not be fired");
    return false;
  }
}
