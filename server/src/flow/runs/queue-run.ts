import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { unblockResumedSoon } from "../limits/block-job.ts";
import { type Lane, wakeLanes } from "./claim/lanes.ts";
import { LANE_HOST } from "./claim/pull-lanes.ts";
import { isCompensation } from "./create/compensation-ref.ts";
import type { RunKey } from "./lock-runs.ts";
import { leadOf, nextTurns } from "./turns/next-turn.ts";

/**
 * Gives pending runs a new queue row, due now or at their `scheduled_at`: after a pause or a wait. Call it in the
 * transaction that made them pending. A run without a reservation is blocked on the budget as before, unless it comes
 * from a wait: it has already started. A run that has never started gets the whole `run_ttl_secs` of its job again: while
 * paused it could not start.
 */
export async function queueRuns(tx: Ctx & InTransaction, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  const { rows } = await sql<Lane & { job_id: string; blocked_on: string | null; stopped: string | null }>`
    insert into run_queue (
      project_id, run_id, job_id, host, rank_at, interleave_at, turn_at, run_at, concurrency_key, blocked_on, expires_at, timeout_secs,
      heartbeat_timeout_secs, workflow_run_id, stopped)
    select r.project_id, r.id, r.job_id, ${LANE_HOST},
      greatest(r.scheduled_at, clock()) - ${LEAD},
      ${TURN}, ${TURN} - ${LEAD},
      greatest(r.scheduled_at, clock()), r.concurrency_key,
      case when b.is_unreserved then 'budget' when r.open_dependencies > 0 then 'dependency' when j.paused_at is not null then 'paused_job:' || r.job_id
        when r.scheduled_at > clock() then 'not_due' end,
      case when r.attempt = 0 then greatest(r.scheduled_at, clock()) + j.run_ttl_secs * interval '1 second' end,
      r.timeout_secs, v.heartbeat_timeout_secs, s.workflow_run_id, coalesce(s.stopped, ${bulkCancel()})
    from (
      select * from unnest(${runs.map((run) => run.project_id)}::uuid[], ${runs.map((run) => run.run_id)}::uuid[])
        as g(project_id, run_id) order by run_id
    ) g, lateral (
      select * from runs r where r.project_id = g.project_id and r.id = g.run_id and r.status = 'pending' offset 0
    ) r
    left join lateral (
      select r.prev_status is distinct from 'waiting' and not exists (
        select 1 from budget_reservations h where h.project_id = r.project_id and h.run_id = r.id) as is_unreserved
      from project_budgets b where b.project_id = r.project_id and b.action = 'block' offset 0
    ) b on true
    left join lateral (${workflowRunAbove()}) s on true
    join jobs j on j.project_id = r.project_id and j.id = r.job_id
    join job_versions v on v.project_id = r.project_id and v.id = r.job_version_id
    on conflict (project_id, run_id) do nothing
    returning project_id, job_id, host, rank_at, blocked_on, stopped`.execute(tx.db);
  wakeLanes(
    tx,
    rows.filter((row) => row.blocked_on === null && row.stopped === null),
  );
  // Paused according to this statement's snapshot.
  unblockResumedSoon(
    tx,
    rows.filter((row) => row.blocked_on?.startsWith("paused_job:")),
  );
}

const LEAD = leadOf(sql`r.priority`);
/** Without a turn until it is due. */
const TURN = nextTurns("r", {
  takes: sql`(r.scheduled_at <= clock() and r.open_dependencies = 0)`,
  due_at: sql`clock()`,
  lead: LEAD,
  id: sql`r.id`,
});

/** A bulk cancel in progress may list `r`: it cancels the run, or releases it when it ends. */
function bulkCancel(): Sql {
  return sql`case when exists (
    select 1 from batch_operations b
    where b.project_id = r.project_id and b.kind = 'cancel_all' and b.finished_at is null and b.created_at >= r.created_at
  ) then 'batch' end`;
}

/**
 * The workflow run whose cancel or pause stops `r`, and whether it has: its own, or that of the run which spawned it. A
 * spawned run outlives its workflow run, unless it is canceled itself.
 */
function workflowRunAbove(): Sql {
  return sql`
    with recursive up as (
      select r.workflow_run_id, r.step_ref, r.parent_run_id, true as is_own
      union all
      select p.workflow_run_id, p.step_ref, p.parent_run_id, false from up
      join runs p on p.project_id = r.project_id and p.id = up.parent_run_id
      where up.workflow_run_id is null
    )
    select w.id as workflow_run_id, case
      when w.status = 'paused' then 'pause'
      when up.is_own and (w.status in ('failed', 'timed_out', 'canceled') or w.planned_end is not null
        or w.stopped is not null) then 'cancel' end as stopped
    from up join workflow_runs w on w.project_id = r.project_id and w.id = up.workflow_run_id
    where up.workflow_run_id is not null and not ${isCompensation("up.step_ref")}`;
}
