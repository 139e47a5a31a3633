import { appendEnds } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { isAmong } from "../../../platform/database/is-among.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { countTransitions } from "../count-transitions.ts";
import { msBetween } from "../dispatch/dispatch-cost.ts";
import type { LeasedRun } from "../dispatch/outcome.ts";
import { JSON_SEPARATOR } from "../json-separator.ts";
import { afterRunsEnded, type EndedRun } from "./after-runs-ended.ts";
import type { Settlement } from "./plan-settle.ts";

export type RunEnd = Extract<Settlement, { kind: "end" }> & {
  run: LeasedRun;
  is_expired: boolean;
  /** Of the response that ended it; null without one. */
  http_status: number | null;
  duration_ms: number | null;
  on_failure_job_id: string | null;
};

export type SettledRun = EndedRun & { to_status: string };

/**
 * Ends runs: queue rows first, in order of their ids, then the runs, then the log, in one statement. If a
 * run completes directly after its first claim, that transition is derived, not stored. Skips rows that are no longer
 * under this lease. In a batch of 200 it costs PostgreSQL about 20 µs per run.
 */
export async function endRuns(ctx: Ctx, ends: readonly RunEnd[]): Promise<SettledRun[]> {
  const { rows } = await sql<SettledRun>`
    /* prepared */
    with given as materialized (${givenEnds(ends.toSorted((a, b) => (a.run.run_id < b.run.run_id ? -1 : 1)))}),
    held as materialized (${heldQueueRows()}),
    freed as (
      delete from run_queue q using held h where ${hasKeyOf("q", "h", "run_id")} returning q.run_id
    ),
    ended as (
      update runs r set prev_status = r.status, status = g.to_status, transition_count = r.transition_count + 1, result = g.result,
        error = g.error, tries_used = g.tries_used, crash_count = g.crash_count, finished_at = clock(),
        dead_lettered_at = case when g.is_dead then clock() end, pause_requested = false, updated_at = clock(),
        derived_transitions = case when r.derived_transitions = 2 and r.transition_count = 2 and g.to_status = 'completed' then 3 else r.derived_transitions end,
        end_http_status = g.http_status, end_duration_ms = g.duration_ms
      from given g
      where r.project_id = g.project_id and r.id = g.run_id and ${isAmong("g.run_id", sql`select run_id from freed`)}
        and r.status = 'running' and r.attempt = g.attempt
      returning r.project_id, r.id as run_id, r.transition_count, r.attempt, 'running' as from_status, r.status as to_status,
        g.cause, r.transition_count = r.derived_transitions as is_derived, r.error, g.http_status, g.duration_ms, r.job_version_id, r.environment_id, r.trigger_type, r.created_by, r.schedule_id, r.finished_at,
        ${IS_UNIFORM} as is_uniform, ${IS_UNIFORM} and ${IS_PLAIN} as is_plain, ${msBetween(sql`r.started_at`, sql`r.finished_at`)} as wall_ms,
        ${msBetween(sql`greatest(r.created_at, r.scheduled_at)`, sql`r.started_at`)} as waited_ms,
        r.workflow_run_id, r.awaited_by, r.has_dependents, case when g.is_dead then g.on_failure_job_id end as on_failure_job_id
    ),
    logged as (
      insert into run_transitions (
        project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, transition_count, from_status, to_status, cause, attempt,
        jsonb_build_object('http_status', http_status, 'duration_ms', duration_ms, 'error', error), finished_at
      from ended where not is_derived
    ),
    ${appendEnds(sql`ended`)},
    ${enqueueEndEntries({ isFailure: true })}
    select project_id, run_id, workflow_run_id, to_status,
      on_failure_job_id is not null or awaited_by is not null or has_dependents as has_outbox_entries
    from ended`.execute(ctx.db);
  changesAppended(ctx, "run");
  countTransitions(
    ctx,
    rows.map(({ to_status }) => ({ from_status: "running", to_status })),
  );
  afterRunsEnded(ctx, rows);
  return rows;
}

/** The cost of such a run is grouped only by its job, environment, kind of trigger, creator and schedule. */
const IS_UNIFORM = sql`(r.attempt = 1 and r.tags = '{}' and r.concurrency_key is null and r.workflow_run_id is null
  and r.cost_microusd = 0)`;
/** What the spans of such a run say follows from the changelog and from any run of its kind. */
const IS_PLAIN = sql`(r.status = 'completed' and r.waits = 0 and r.traceparent is null and r.parent_run_id is null)`;

/**
 * A part of every statement that ends runs: inserts the outbox entries for the consequences of their ends. `ended` has
 * `project_id, run_id, transition_count, awaited_by, has_dependents`, and `on_failure_job_id` where the end is a failure.
 */
export function enqueueEndEntries({ isFailure }: { isFailure: boolean }): Sql {
  const onFailure = sql`
    select project_id, run_id || ':' || transition_count, 'on_failure', on_failure_job_id::text, clock()
    from ended where on_failure_job_id is not null
    union all`;
  return sql`
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, created_at)
      ${isFailure ? onFailure : sql``}
      select project_id, run_id || ':' || transition_count, 'child_ended', awaited_by::text, clock()
      from ended where awaited_by is not null
      union all
      select project_id, run_id || ':' || transition_count, 'dependents', run_id::text, clock()
      from ended where has_dependents
    )`;
}

/**
 * The queue rows under the leases in `given`, locked before the runs. A row that was given slots after its claim
 * (`adopt-leased.ts`) is skipped, and settled again: the caller would not release them.
 * `ofGiven`: further columns, of `given g`.
 */
export function heldQueueRows(ofGiven: Sql = sql``): Sql {
  return sql`
    select q.* ${ofGiven} from given g, lateral (
      select q.project_id, q.run_id, q.host, q.unreachable_since from run_queue q
      where q.project_id = g.project_id and q.run_id = g.run_id and q.lease_token = g.lease_token
        and (not g.is_expired or q.lease_until <= clock()) and q.slots is not distinct from g.slots
      for update
    ) q`;
}

/** Most ends differ only by run and response. Those are sent as lists, which are cheaper to read. */
function givenEnds(ends: readonly RunEnd[]): Sql {
  const slots = JSON.stringify(ends[0]?.run.slots ?? null);
  return ends.every((end) => fitsLists(end, slots)) ? endsAsLists(ends) : endsAsJson(ends);
}

/** `slots`: those of the first run, which all have to share. */
function fitsLists({ to_status, cause, is_expired, run }: RunEnd, slots: string): boolean {
  return to_status === "completed" && cause === "completed" && !is_expired && JSON.stringify(run.slots) === slots;
}

function endsAsLists(ends: readonly RunEnd[]): Sql {
  const list = (read: (end: RunEnd) => string | number | null) => `{${ends.map(read).join(",")}}`;
  return sql`
    select u.project_id, u.run_id, u.attempt, u.token::uuid as lease_token, false as is_expired,
      'completed' as to_status, 'completed' as cause, nullif(u.result::jsonb, 'null') as result, null::jsonb as error,
      u.http_status, u.duration_ms, u.tries_used, u.crash_count, false as is_dead, null::uuid as on_failure_job_id,
      ${ends[0]?.run.slots ?? null}::text[] as slots
    from unnest(
      ${list((end) => end.run.project_id)}::uuid[], ${list((end) => end.run.run_id)}::uuid[],
      ${list((end) => end.run.attempt)}::int[], ${list((end) => end.run.lease_token)}::text[],
      string_to_array(${ends.map((end) => end.result_json).join(JSON_SEPARATOR)}, ${JSON_SEPARATOR}),
      ${list((end) => end.http_status ?? "null")}::int[], ${list((end) => end.duration_ms ?? "null")}::int[],
      ${list((end) => end.tries_used)}::int[], ${list((end) => end.crash_count)}::int[]
    ) as u(project_id, run_id, attempt, token, result, http_status, duration_ms, tries_used, crash_count)
    where ${fewRows("u.token")}`;
}

function endsAsJson(ends: readonly RunEnd[]): Sql {
  return sql`
    select * from json_to_recordset(${`[${ends.map(textOf).join(",")}]`}::json) as g(
      project_id uuid, run_id uuid, attempt int, lease_token uuid, is_expired boolean, to_status text, cause text,
      result jsonb, error jsonb, http_status int, duration_ms int, tries_used int, crash_count int, is_dead boolean,
      on_failure_job_id uuid, slots text[])
    where ${fewRows("g.to_status")}`;
}

/**
 * Concatenated, not serialized: no id and no constant can contain a quote, and the result is JSON already. Fields that
 * most ends lack are omitted, which reads as null.
 */
function textOf(end: RunEnd): string {
  const { run, error, on_failure_job_id } = end;
  return (
    `{"project_id":"${run.project_id}","run_id":"${run.run_id}","attempt":${run.attempt},` +
    `"lease_token":"${run.lease_token}","is_expired":${end.is_expired},"to_status":"${end.to_status}","cause":"${end.cause}",` +
    `"tries_used":${end.tries_used},"crash_count":${end.crash_count},"is_dead":${end.is_dead},` +
    `"http_status":${end.http_status},"duration_ms":${end.duration_ms},` +
    `${run.slots === null ? "" : `"slots":${JSON.stringify(run.slots)},`}` +
    `${error === null ? "" : `"error":${JSON.stringify(error)},`}` +
    `${on_failure_job_id === null ? "" : `"on_failure_job_id":"${on_failure_job_id}",`}"result":${end.result_json}}`
  );
}
