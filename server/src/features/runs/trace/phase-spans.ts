import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { Page } from "../../../platform/listing/page.ts";
import type { Readable } from "./readable-by.ts";

export type Scan = { project_id: string; run_id: string; page: Page };

/** The id of an attempt's span, by which records of the attempt name their parent. */
export const attemptId = (scan: Scan, attempt: Sql): Sql => sql`${scan.run_id} || ':attempt:' || ${attempt}`;

/**
 * The history as intervals, each from one transition to the next. If clocks ran backwards, the latest time so far
 * counts. An interval whose end was removed by age is left out, as in the list of attempts.
 */
export function phases({ project_id, run_id }: Scan, may: Readable): Sql {
  return sql`
    transitions as (
      select ordinal, from_status, to_status, cause, attempt, detail, max(created_at) over (order by ordinal) as created_at
      from run_history where project_id = ${project_id} and run_id = ${run_id}
    ),
    with_next as (
      select ordinal, from_status, to_status, cause, attempt, created_at, first_value(created_at) over next as ended_at,
        first_value(cause) over next as outcome, first_value(to_status) over next as became,
        first_value(detail) over next as detail
      from transitions window next as (order by ordinal range between 1 following and 1 following)
    ),
    phases as (
      select p.*, ${run_id} || case p.to_status when 'running' then ':attempt:' || p.attempt
          else ':' || p.to_status || ':' || p.ordinal end as span_id,
        md5(${run_id} || ':' || p.ordinal)::uuid as id,
        w.wait_kind, w.event_key, w.wait_status, w.expires_at, w.sent_by, w.child_run_id
      from with_next p left join lateral (
        select t.wait_kind, t.event_key, t.status as wait_status, t.expires_at, t.sent_by, t.child_run_id from (
          select * from event_triggers own
          where own.project_id = ${project_id} and own.job_run_id = ${run_id} and own.job_run_id is not null
            and (p.ended_at is null or own.created_at <= p.ended_at)
          order by own.ordinal desc limit 1
        ) t where ${may.trigger}
      ) w on p.to_status = 'waiting'
      where p.to_status not in ('completed', 'failed', 'timed_out', 'canceled')
        and (p.became is not null or p.ordinal = (
          select r.transition_count from runs r where r.project_id = ${project_id} and r.id = ${run_id}))
    )`;
}

/** The run itself, the parent of all others. */
export function runSpan({ project_id, run_id }: Scan, may: Readable): Sql {
  return sql`
    select r.created_at, r.id, r.id::text as span_id, null as parent_id, 'run' as kind, coalesce(j.name, 'Run') as name,
      r.status, r.created_at as started_at, r.finished_at, null::int as attempt, r.id as run_id,
      null::uuid as workflow_run_id, jsonb_build_object('job_id', r.job_id, 'trigger_type', r.trigger_type,
        'tries_used', r.tries_used, 'max_attempts', r.max_attempts, 'error', r.error) as attributes
    from runs r left join jobs j on j.project_id = r.project_id and j.id = r.job_id and ${may.job}
    where r.project_id = ${project_id} and r.id = ${run_id}`;
}

/** Time in the queue, attempts, pauses and waits. A pending run that has been running before waits for a retry. */
export function phaseSpans({ run_id }: Scan): Sql {
  return sql`
    select p.created_at, p.id, p.span_id, ${run_id} as parent_id,
      case p.to_status when 'running' then 'attempt' when 'waiting' then 'wait' when 'paused' then 'pause'
        else case p.from_status when 'running' then 'backoff' else 'queue' end end as kind,
      case p.to_status when 'running' then 'Attempt ' || p.attempt when 'paused' then 'Paused' when 'pending' then
          case p.from_status when 'running' then 'Backoff' else 'Queued' end
        else case p.wait_kind when 'event' then 'Wait for ' || p.event_key when 'sleep' then 'Sleep'
          when 'child' then 'Wait for child run' else 'Wait' end end as name,
      case p.to_status
        when 'running' then case
          when p.became is null then 'running' when p.outcome = 'timeout' then 'timed_out'
          when p.outcome = 'drained' or p.became in ('waiting', 'completed') then 'completed'
          when p.became = 'pending' then 'failed' else p.became end
        when 'waiting' then coalesce(p.wait_status, case when p.became is null then 'waiting' else 'completed' end)
        when 'paused' then 'paused'
        else case p.from_status when 'running' then 'retrying' else 'queued' end end as status,
      p.created_at as started_at, p.ended_at as finished_at, nullif(p.attempt, 0) as attempt, null::uuid as run_id,
      null::uuid as workflow_run_id,
      case p.to_status
        when 'running' then jsonb_build_object('outcome', p.outcome, 'error', p.detail -> 'error',
          'http_status', p.detail -> 'http_status', 'duration_ms', p.detail -> 'duration_ms')
        when 'waiting' then jsonb_build_object('wait_kind', p.wait_kind, 'event_key', p.event_key,
          'expires_at', p.expires_at, 'sent_by', p.sent_by)
        else jsonb_build_object('cause', p.cause) end as attributes
    from phases p`;
}

/**
 * Steps of a job, which the SDK stores in the run's state with their times since the attempt began. The state belongs
 * to the job: anything else found in it is skipped.
 */
export function stepSpans(scan: Scan): Sql {
  const { project_id, run_id } = scan;
  return sql`
    select (a.created_at + (s.span ->> 'from_ms')::float8 * interval '1 ms')::timestamptz(3) as created_at,
      md5(${run_id} || ':step:' || a.attempt || ':' || s.nth)::uuid as id,
      ${run_id} || ':step:' || a.attempt || ':' || s.nth as span_id, a.span_id as parent_id, 'step' as kind,
      left(s.span ->> 'id', 200) as name, case when s.span @> '{"failed": true}' then 'failed' else 'completed' end as status,
      (a.created_at + (s.span ->> 'from_ms')::float8 * interval '1 ms')::timestamptz(3) as started_at,
      (a.created_at + ((s.span ->> 'from_ms')::float8 + (s.span ->> 'ms')::float8) * interval '1 ms')::timestamptz(3)
        as finished_at,
      a.attempt, null::uuid as run_id, null::uuid as workflow_run_id, '{}'::jsonb as attributes
    from phases a, runs r, lateral jsonb_path_query(r.state, ${STEPS}::jsonpath, jsonb_build_object('attempt', a.attempt))
      with ordinality as s(span, nth)
    where a.to_status = 'running' and r.project_id = ${project_id} and r.id = ${run_id}`;
}

/** Limited to a month, so that no time overflows. */
const STEPS =
  '$."$spans"[*] ? (@.id.type() == "string" && @.attempt == $attempt' +
  " && @.from_ms >= 0 && @.from_ms <= 2678400000 && @.ms >= 0 && @.ms <= 2678400000)";
