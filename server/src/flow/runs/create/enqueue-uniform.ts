import { appendUniform } from "../../../platform/changelog/append-changes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { JSON_SEPARATOR } from "../json-separator.ts";
import { DEADLINE, INSERT_RUNS, insertQueueRows, RANK_AT } from "./insert-placed.ts";
import { newLease, unlessClaimed } from "./new-leases.ts";
import type { EnqueuedRun, NewRun, Starts } from "./new-run.ts";
import { hasPayloadOnly, haveSameColumns, uniformColumns } from "./new-run-rows.ts";
import { slotsOf } from "./new-slots.ts";

export type Inserted = EnqueuedRun & { rank_at: string | null };

/** Runs that differ only by id and payload, all or none of them chosen to start: what most triggers are. */
export function areUniform(newRuns: readonly NewRun[], { ids }: Starts): boolean {
  const [first] = newRuns;
  if (!first || first.parent_run_id !== null || !(ids.size === 0 || ids.size === newRuns.length)) return false;
  return newRuns.every((run) => hasPayloadOnly(run) && (run === first || haveSameColumns(first, run)));
}

/**
 * Creates such runs. What they share are parameters, and their changes are lists of the same ids: the statement reads
 * nothing for each run but its id and payload, and returns one row. All are created or none, since all were prepared
 * from the same revision of their job.
 */
export async function insertUniform(ctx: Ctx, newRuns: readonly NewRun[], starts: Starts): Promise<Inserted[]> {
  const [one] = newRuns as [NewRun];
  const limit = slotsOf(newRuns, starts);
  const ids = `{${newRuns.map(({ id }) => id).join(",")}}`;
  const payloads = newRuns.map(({ payload }) => JSON.stringify(payload)).join(JSON_SEPARATOR);
  const lease = newLease(ctx, starts, {
    ...{ id: sql`id`, host: sql`p.host`, timeout_secs: sql`timeout_secs`, is_started: sql`is_started`, now: sql`now` },
  });
  const blocked_on = one.is_over_budget ? "budget" : one.is_job_paused ? `paused_job:${one.job_id}` : null;
  const { rows } = await sql<Omit<Inserted, "id">>`
    /* prepared */
    with given as materialized (
      select g.*, clock() as now, coalesce(g.scheduled_at, clock() + coalesce(g.delay_secs, 0) * interval '1 second')::timestamptz(3) as due_at,
        coalesce(g.scheduled_at > clock(), g.delay_secs > 0, false) as is_later, ${starts.ids.size > 0}::boolean${unlessClaimed(starts, sql`g.host`)} as is_chosen
      from (select ${uniformColumns(one)}) g
    ),
    batches as materialized (
      select g.* from given g cross join lateral (
        select 1 from jobs j where j.project_id = g.project_id and j.id = g.job_id and j.revision = g.job_revision
          and j.deleted_at is null offset 0
      ) j
      left join project_budgets pb on pb.project_id = g.project_id and pb.action = 'block'
      where pb.project_id is null or g.is_budgeted
    ),
    ${limit.taken}
    placed as materialized (
      select b.*, ${limit.is_started} as is_started, ${limit.slots} as slots, null::timestamptz as interleave_at,
        coalesce(${blocked_on}, case when b.is_later then 'not_due' end, ${limit.full}) as blocked_on
      from batches b ${limit.join}
    ),
    created as (
      ${INSERT_RUNS} from placed
      cross join (select u.id, u.payload::jsonb from unnest(${ids}::uuid[], string_to_array(${payloads}, ${JSON_SEPARATOR})) as u(id, payload)) u
    ),
    queued as (
      ${insertQueueRows(lease, NO_STOP)} from placed p cross join unnest(${ids}::uuid[]) as u(id)
    ),
    ${appendUniform({ project_id: one.project_id, ids, count: newRuns.length })}
    select case when blocked_on is null and not is_started then ${RANK_AT} end as rank_at, ${DEADLINE} as deadline,
      now::timestamptz(3) as created_at, due_at as scheduled_at
    from placed`.execute(ctx.db);
  const [batch] = rows;
  return batch ? newRuns.map(({ id }) => ({ ...batch, id })) : [];
}

/** It belongs to no workflow run, and no run has spawned it. */
const NO_STOP = { workflow_run_id: sql`null::uuid`, stopped: sql`null` };
