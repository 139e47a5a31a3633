import { appendUniform } from "../../../platform/changelog/append-changes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { JSON_SEPARATOR } from "../json-separator.ts";
import { leadOf } from "../turns/next-turn.ts";
import { newLease, unlessClaimed } from "./new-leases.ts";
import type { EnqueuedRun, NewRun, Starts } from "./new-run.ts";
import { hasPayloadOnly, haveSameColumns } from "./new-run-rows.ts";
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
  const host = sql`${one.host}::text`;
  const lease = newLease(ctx, starts, {
    ...{ id: sql`u.id`, host, timeout_secs: sql`${one.timeout_secs}::int`, is_started: sql`is_started`, now: sql`now` },
  });
  const blocked_on = one.is_over_budget ? "budget" : one.is_job_paused ? `paused_job:${one.job_id}` : null;
  const { rows } = await sql<Omit<Inserted, "id">>`
    /* prepared */
    with batches as materialized (
      select j.project_id, j.id as job_id, j.revision as job_revision, ${starts.ids.size > 0}::boolean${unlessClaimed(starts, host)} as is_chosen, clock() as now,
        coalesce(${one.scheduled_at}::timestamptz, clock() + ${one.delay_secs ?? 0}::float8 * interval '1 second')::timestamptz(3) as due_at
      from jobs j
      left join project_budgets pb on pb.project_id = j.project_id and pb.action = 'block'
      where j.project_id = ${one.project_id} and j.id = ${one.job_id} and j.revision = ${one.job_revision}
        and j.deleted_at is null and (pb.project_id is null or ${one.is_budgeted})
    ),
    ${limit.taken}
    placed as materialized (
      select b.now, b.due_at, greatest(b.due_at, b.now) - ${leadOf(sql`${one.priority}::int`)} as rank_at,
        ${limit.is_started} as is_started, ${limit.slots} as slots,
        case when ${limit.is_started} then b.now + ${one.timeout_secs}::int * interval '1 second' end as deadline,
        coalesce(${blocked_on}, case when coalesce(${one.scheduled_at}::timestamptz > clock(), ${one.delay_secs ?? 0}::float8 > 0) then 'not_due' end, ${limit.full}) as blocked_on
      from batches b ${limit.join}
    ),
    created as (
      insert into runs (
        project_id, id, job_id, job_version_id, environment_id, status, prev_status, transition_count, derived_transitions, attempt, started_at,
        max_attempts, timeout_secs, priority, payload, metadata, tags, batch_id, created_by, created_by_id, trigger_type,
        spawn_depth, replay_of, schedule_id, awaited_by, scheduled_at, created_at, updated_at)
      select ${one.project_id}::uuid, u.id, ${one.job_id}::uuid, ${one.job_version_id}::uuid, ${one.environment_id}::uuid,
        case when is_started then 'running' else 'pending' end, case when is_started then 'pending' end,
        1 + is_started::int, 1 + is_started::int, is_started::int, case when is_started then now end,
        ${one.max_attempts}::int, ${one.timeout_secs}::int, ${one.priority}::int, u.payload::jsonb,
        ${JSON.stringify(one.metadata)}::jsonb, ${JSON.stringify(one.tags)}::jsonb, ${one.batch_id}::uuid,
        ${one.created_by}::text, ${one.created_by_id}::text, ${one.trigger_type}::text, ${one.spawn_depth}::int,
        ${one.replay_of}::uuid, ${one.schedule_id}::uuid, ${one.awaited_by}::uuid, due_at, now, now
      from placed cross join unnest(${ids}::uuid[], string_to_array(${payloads}, ${JSON_SEPARATOR})) as u(id, payload)
    ),
    queued as (
      insert into run_queue (
        project_id, run_id, job_id, host, rank_at, run_at, blocked_on, debounce_key, expires_at, timeout_secs,
        heartbeat_timeout_secs, ${lease.columns}, deadline, slots)
      select ${one.project_id}::uuid, u.id, ${one.job_id}::uuid, ${host}, rank_at, due_at, blocked_on,
        ${one.debounce_key}::text, case when not is_started then due_at + ${one.run_ttl_secs}::int * interval '1 second' end,
        ${one.timeout_secs}::int, ${one.heartbeat_timeout_secs}::int,
        ${lease.values}, deadline, slots
      from placed cross join unnest(${ids}::uuid[]) as u(id)
    ),
    ${appendUniform({ project_id: one.project_id, ids, count: newRuns.length })}
    select case when blocked_on is null and not is_started then rank_at end as rank_at, deadline,
      now::timestamptz(3) as created_at, due_at as scheduled_at
    from placed`.execute(ctx.db);
  const [batch] = rows;
  return batch ? newRuns.map(({ id }) => ({ ...batch, id })) : [];
}
