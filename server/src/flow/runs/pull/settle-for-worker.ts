import type { Ctx } from "../../../platform/context.ts";
import { isDataError } from "../../../platform/database/database-errors.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";
import { type Coalescer, coalesce } from "../../coalesce.ts";
import { LEASED_RUN, type LeasedRun, type Outcome } from "../dispatch/outcome.ts";
import { type Settling, settleRuns } from "../settle/settle-runs.ts";
import { forgetLease, leaseKey, rememberedLease } from "./handed-leases.ts";
import type { WorkerRun } from "./heartbeat-runs.ts";

type Reported = WorkerRun & { project_id: string; outcome: Outcome };

const MAX_BATCH = 500;
const FLUSH_INTERVAL_MS = 8;

/** Results of all workers of this instance share commits, like those of dispatches. */
const groupOf = perService(
  (ctx: Ctx): Coalescer<Reported, boolean> =>
    coalesce({
      flush: (reports) => settleReports(ctx, reports),
      max: MAX_BATCH,
      parallel: 2,
      flushIntervalMs: FLUSH_INTERVAL_MS,
      isCausedByItem: isDataError,
    }),
);

/** Fenced: false if this attempt no longer holds the run, and then nothing was changed. */
export function settleForWorker(ctx: Ctx, report: Reported): Promise<boolean> {
  return groupOf(ctx).add(report);
}

async function settleReports(ctx: Ctx, reports: readonly Reported[]): Promise<boolean[]> {
  const leased = await findLeased(ctx, reports);
  const taken = new Map<string, Settling>();
  const settlings = reports.map(({ outcome, ...report }) => {
    const key = leaseKey(report);
    const run = leased.get(key);
    // A run that is reported twice is settled once.
    if (!run || taken.has(key)) return undefined;
    const settling = { run, outcome };
    taken.set(key, settling);
    return settling;
  });
  const wanted = settlings.filter((settling) => settling !== undefined);
  const results = await settleRuns(ctx, wanted);
  for (const { run } of wanted) forgetLease(ctx, run);
  const settled = new Map(wanted.map((settling, index) => [settling, results[index]]));
  return settlings.map((settling) => settling !== undefined && settled.get(settling) === true);
}

async function findLeased(ctx: Ctx, reports: readonly Reported[]): Promise<Map<string, LeasedRun>> {
  const remembered = reports.map((report) => rememberedLease(ctx, report));
  const unknown = reports.filter((_, index) => remembered[index] === undefined);
  const found = [...remembered, ...(await readLeased(ctx, unknown))].filter((run) => run !== undefined);
  return new Map(found.map((run) => [leaseKey(run), run]));
}

/**
 * Read without locks: settling compares attempt and lease token again when it writes. `is true` hides the guard from the
 * planner, which would walk the index of all runs that workers hold for each.
 */
async function readLeased(ctx: Ctx, reports: readonly Reported[]): Promise<LeasedRun[]> {
  if (reports.length === 0) return [];
  const { rows } = await sql<LeasedRun>`
    /* prepared */
    select ${LEASED_RUN}
    from unnest(
      ${reports.map(({ project_id }) => project_id)}::uuid[], ${reports.map(({ run_id }) => run_id)}::uuid[],
      ${reports.map(({ attempt }) => attempt)}::int[], ${reports.map(({ lease_token }) => lease_token)}::uuid[]
    ) as g(project_id, run_id, attempt, lease_token)
    cross join lateral (
      select * from run_queue q
      where q.project_id = g.project_id and q.run_id = g.run_id and q.lease_token = g.lease_token
        and (q.worker_id is not null) is true
      offset 0
    ) q
    cross join lateral (
      select * from runs r
      where r.project_id = g.project_id and r.id = g.run_id and r.status = 'running' and r.attempt = g.attempt offset 0
    ) r`.execute(ctx.db);
  return rows;
}

export type ReportedRunState = { run_id: string; status: string; is_settled: boolean };

/** How a worker's own result moves a run; a pause that was requested meanwhile replaces the cause of a retry. */
const OWN_CAUSES = ["completed", "failed", "retry", "drained", "paused"];

/** The runs now, and whether each one's given attempt was ended by a result: then a second result is a repetition. */
export async function readRunStates(
  ctx: Ctx,
  project_id: string,
  reports: readonly WorkerRun[],
): Promise<Map<string, ReportedRunState>> {
  if (reports.length === 0) return new Map();
  const { rows } = await sql<ReportedRunState>`
    select r.id as run_id, case when r.finished_at is null and r.status <> 'paused' then 'pending' else r.status end as status,
      coalesce((
        select t.cause = any(${OWN_CAUSES}::text[]) from run_history t
        where t.project_id = ${project_id} and t.run_id = r.id and t.attempt = g.attempt and t.from_status = 'running'
        order by t.ordinal desc limit 1), false) as is_settled
    from unnest(${reports.map(({ run_id }) => run_id)}::uuid[], ${reports.map(({ attempt }) => attempt)}::int[]) as g(run_id, attempt)
    join runs r on r.project_id = ${project_id} and r.id = g.run_id`.execute(ctx.db);
  return new Map(rows.map((row) => [row.run_id, row]));
}
