import { appendCreations } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { unblockResumedSoon } from "../../limits/block-job.ts";
import { wakeLanes } from "../claim/lanes.ts";
import { type CountedTransition, countTransitions } from "../count-transitions.ts";
import { leadOf, nextTurns } from "../turns/next-turn.ts";
import { insertCancelKeys } from "./cancel-keys.ts";
import { isCompensation } from "./compensation-ref.ts";
import { areUniform, type Inserted, insertUniform } from "./enqueue-uniform.ts";
import { INSERT_RUNS, insertQueueRows } from "./insert-placed.ts";
import { newLease, unlessClaimed } from "./new-leases.ts";
import type { Enqueued, NewRun, Starts } from "./new-run.ts";
import { BATCH_COLUMNS, OWN_COLUMNS, runRows, splitBatchColumns } from "./new-run-rows.ts";
import { slotsOf } from "./new-slots.ts";

const CREATED: CountedTransition = { from_status: null, to_status: "pending" };
const STARTED: CountedTransition = { from_status: "pending", to_status: "running" };
const NONE: Starts = { lease_token: "00000000-0000-0000-0000-000000000000", ids: new Set() };

/**
 * Creates runs, all in one statement: the run, its queue row, its first change. Columns that the runs of a batch
 * share are sent once: reading 34 columns of JSON for each run was half the cost. Runs are created blocked if their job
 * is paused, if they are not due, if they depend on active runs, or if the budget or a concurrency limit has no room for
 * them.
 */
export async function enqueueRuns(ctx: Ctx, newRuns: readonly NewRun[], starts = NONE): Promise<Enqueued> {
  if (newRuns.length === 0) return new Map();
  const insert = areUniform(newRuns, starts) ? insertUniform : insertRuns;
  const rows = await insert(ctx, newRuns, starts);
  changesAppended(ctx, "run");
  const runs = new Map(rows.map((row) => [row.id, row]));
  const claimable = newRuns.flatMap(({ id, project_id, host }) => {
    const rank_at = runs.get(id)?.rank_at;
    return rank_at ? [{ project_id, host, rank_at }] : [];
  });
  wakeLanes(ctx, claimable);
  // Paused according to the snapshot of the statement, which compares the job's revision.
  const paused = newRuns.filter((run) => run.is_job_paused && runs.has(run.id));
  unblockResumedSoon(ctx, paused);
  const started = rows.filter((row) => row.deadline !== null);
  countTransitions(ctx, [...rows.map(() => CREATED), ...started.map(() => STARTED)]);
  return runs;
}

async function insertRuns(ctx: Ctx, newRuns: readonly NewRun[], starts: Starts): Promise<Inserted[]> {
  const { runColumns, batchColumns } = splitBatchColumns(newRuns, starts.ids);
  const stop = stopOf(newRuns);
  const limit = slotsOf(newRuns, starts);
  const lease = newLease(ctx, starts, {
    ...{
      id: sql`id`,
      host: sql`p.host`,
      timeout_secs: sql`timeout_secs`,
      is_started: sql`is_started`,
      now: sql`now`,
    },
  });
  const { rows } = await sql<Inserted>`
    /* prepared */
    with batches as materialized (
      select b.*, clock() as now, coalesce(b.scheduled_at, clock() + coalesce(b.delay_secs, 0) * interval '1 second')::timestamptz(3) as due_at,
        coalesce(b.scheduled_at > clock(), b.delay_secs > 0, false) as is_later
      from json_to_recordset(${JSON.stringify(batchColumns)}::json) as b(${BATCH_COLUMNS})
      cross join lateral (
        select 1 from jobs j where j.project_id = b.project_id and j.id = b.job_id and j.revision = b.job_revision
          and j.deleted_at is null offset 0
      ) j
      left join project_budgets pb on pb.project_id = b.project_id and pb.action = 'block'
      where pb.project_id is null or b.is_budgeted
    ),
    ${limit.taken}
    given as (
      select b.*, ${limit.is_started}${unlessClaimed(starts, sql`b.host`)} as is_started, ${limit.slots} as slots, ${limit.full} as full_limit,
        coalesce(b.batch_created_by, 'workflow_run:' || o.workflow_run_id) as created_by, ${OWN_COLUMNS}
      from ${runRows(runColumns)} join batches b on b.columns_no = o.columns_no ${limit.join}
    ),
    placed as materialized (
      select g.*, ${turnsOf(newRuns)} as interleave_at,
        case when g.is_over_budget then 'budget' when g.open_dependencies > 0 then 'dependency'
          when g.is_job_paused then 'paused_job:' || g.job_id when g.is_later then 'not_due' else g.full_limit end as blocked_on
      from given g
    ),
    created as (
      ${INSERT_RUNS} from placed
    ),
    queued as (
      ${insertQueueRows(lease, stop)} from placed p ${stop.above}
      returning project_id, run_id, host, rank_at, blocked_on, run_at, deadline
    ),
    moved as materialized (
      select project_id, id as run_id, 1 as ordinal, null as from_status, 'pending' as to_status, 'created' as cause,
        0 as attempt, job_version_id, environment_id, trigger_type, now as created_at
      from placed
      union all
      select project_id, id, 2, 'pending', 'running', 'claimed', 1, job_version_id, environment_id, trigger_type, now
      from placed where is_started
    ),
    ${appendCreations(sql`moved`)}${insertCancelKeys("run", newRuns)}
    select run_id as id, case when blocked_on is null and deadline is null then rank_at end as rank_at, deadline,
      (select b.now::timestamptz(3) from batches b limit 1) as created_at, run_at as scheduled_at
    from queued`.execute(ctx.db);
  return rows;
}

/** A run that is not due or depends on other runs has no turn yet: otherwise due runs would be placed at its start time. */
function turnsOf(newRuns: readonly NewRun[]): Sql {
  if (newRuns.every((run) => run.concurrency_key === null)) return sql`null::timestamptz`;
  const takes = sql`(not g.is_later and g.open_dependencies is null)`;
  return nextTurns("g", { takes, due_at: sql`g.due_at`, lead: leadOf(sql`g.priority`), id: sql`g.id` });
}

/**
 * The workflow run whose cancel or pause stops the run. A compensation has none. A spawned run inherits its parent's:
 * both stopping the parent and spawning lock the parent's queue row.
 */
function stopOf(newRuns: readonly NewRun[]) {
  const ownWorkflowRun = sql`case when not ${isCompensation("p.step_ref")} then p.workflow_run_id end`;
  if (newRuns.every((run) => run.parent_run_id === null))
    return { workflow_run_id: ownWorkflowRun, stopped: sql`null`, above: sql`` };
  return {
    workflow_run_id: sql`coalesce(above.workflow_run_id, ${ownWorkflowRun})`,
    stopped: sql`above.stopped`,
    above: sql`left join lateral (
      select q.workflow_run_id, q.stopped from run_queue q
      where q.project_id = p.project_id and q.run_id = p.parent_run_id offset 0
    ) above on true`,
  };
}
