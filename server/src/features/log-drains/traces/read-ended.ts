import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { TraceContext } from "../../../platform/trace-context.ts";
import type { ClaimedDrain } from "../claim-drains.ts";

type Times = { started_ms: number; finished_ms: number };
type Failure = { code?: string; message?: string } | null;

export type EndedAttempt = Times & { attempt: number; to_status: string; outcome: string; http_status: number | null };

/** What the spans of both kinds have. `began_ms`: when it was created and due, so it includes the time in the queue. */
type Ended = {
  id: string;
  status: string;
  traceparent: TraceContext | null;
  began_ms: number;
  finished_ms: number;
  environment_id: string;
  error: Failure;
  trigger_type: string;
  workflow_run_id: string | null;
  step_ref: string | null;
};

export type EndedRun = Ended & {
  started_ms: number | null;
  job_id: string;
  job_slug: string;
  attempt: number;
  parent_run_id: string | null;
  http_status: number | null;
  /** Null: it had at most one, as long as the run itself. */
  attempts: EndedAttempt[] | null;
};

export type EndedStep = Times & { step_ref: string; type: string; status: string; error: Failure };

export type EndedWorkflowRun = Ended & {
  workflow_id: string;
  workflow_slug: string;
  version: number;
  steps: EndedStep[] | null;
};

type At = { position: number };

/** All ends that a drain has not sent, as rows `l`, including those of traces that their callers do not record. */
export function unsentEnds({ project_id, position, after_id }: ClaimedDrain): Sql {
  return sql`(
    select c.position, m.id, c.created_at
    from changelog c cross join lateral unnest(c.ids, c.to_statuses, c.ordinals) as m(id, to_status, ordinal)
    where c.project_id = ${project_id} and c.kind in ('run', 'workflow_run') and c.position >= ${position}
      and (c.position, m.id) > (${position}, ${after_id}::uuid)
      and case c.kind when 'run' then ${IS_RUN_END} else ${IS_WORKFLOW_END} end
  ) l`;
}

const IS_RUN_END = sql`m.to_status in ('completed', 'failed', 'timed_out', 'canceled')`;
const IS_WORKFLOW_END = sql`exists (
  select 1 from workflow_decisions d
  where d.project_id = c.project_id and d.workflow_run_id = m.id and d.ordinal = m.ordinal
    and d.created_at = c.created_at and d.decision_type = 'end')`;

/** The runs of a drain that ended at these positions, in traces that their callers record. */
export async function readEndedRuns(ctx: Ctx, drain: ClaimedDrain, positions: number[]): Promise<(EndedRun & At)[]> {
  if (positions.length === 0) return [];
  const { rows } = await sql<EndedRun & At>`
    /* prepared */
    select c.position, r.*, j.slug as job_slug
    from changelog c cross join lateral unnest(c.ids, c.to_statuses) as m(id, to_status)
    cross join lateral (
      select r.project_id, r.id, r.status, r.traceparent, ${began("r")} as began_ms, ${msOf("r.started_at")} as started_ms,
        ${msOf("r.finished_at")} as finished_ms, r.environment_id, r.error, r.trigger_type, r.job_id, r.attempt,
        r.workflow_run_id, r.step_ref, r.parent_run_id, r.end_http_status as http_status,
        case when r.attempt > 1 or r.waits > 0 then (${attempts}) end as attempts
      from runs r
      where r.project_id = c.project_id and r.id = m.id and r.finished_at is not null and ${isSampled("r.traceparent")}
        and ${isWanted(drain.job_ids, "r.job_id")} and ${isWanted(drain.environment_id, "r.environment_id")} offset 0
    ) r
    join jobs j on j.project_id = r.project_id and j.id = r.job_id
    where c.project_id = ${drain.project_id} and c.position = any(${positions}::bigint[]) and ${IS_RUN_END}`.execute(
    ctx.db,
  );
  return rows;
}

/** History is read only where the run's own row does not tell when its attempts began and ended. */
const attempts = sql`
  select json_agg(json_build_object('attempt', h.attempt, 'started_ms', ${msOf("h.created_at")},
    'finished_ms', ${msOf("h.ended_at")}, 'to_status', h.became, 'outcome', h.outcome, 'http_status', h.http_status)
    order by h.ordinal)
  from (
    select t.attempt, t.ordinal, t.to_status, t.created_at, lead(t.created_at) over transitions as ended_at,
      lead(t.to_status) over transitions as became, lead(t.cause) over transitions as outcome,
      (lead(t.detail) over transitions ->> 'http_status')::int as http_status
    from run_history t where t.project_id = r.project_id and t.run_id = r.id window transitions as (order by t.ordinal)
  ) h where h.to_status = 'running' and h.ended_at is not null`;

/** The same for workflow runs, which a drain of certain jobs does not send. */
export async function readEndedWorkflowRuns(
  ctx: Ctx,
  drain: ClaimedDrain,
  positions: number[],
): Promise<(EndedWorkflowRun & At)[]> {
  if (positions.length === 0 || drain.job_ids !== null) return [];
  const { rows } = await sql<EndedWorkflowRun & At>`
    /* prepared */
    select c.position, w.*, f.slug as workflow_slug
    from changelog c cross join lateral unnest(c.ids, c.ordinals) as m(id, ordinal)
    cross join lateral (
      select w.project_id, w.id, w.status, w.traceparent, ${began("w")} as began_ms, ${msOf("w.finished_at")} as finished_ms,
        w.environment_id, w.error, w.trigger_type, w.workflow_id, w.version, w.parent_workflow_run_id as workflow_run_id,
        w.parent_step_ref as step_ref, (${steps}) as steps
      from workflow_runs w
      where w.project_id = c.project_id and w.id = m.id and w.finished_at is not null and ${isSampled("w.traceparent")}
        and ${isWanted(drain.environment_id, "w.environment_id")} offset 0
    ) w
    join workflows f on f.project_id = w.project_id and f.id = w.workflow_id
    where c.project_id = ${drain.project_id} and c.position = any(${positions}::bigint[]) and ${IS_WORKFLOW_END}`.execute(
    ctx.db,
  );
  return rows;
}

const steps = sql`
  select json_agg(json_build_object('step_ref', s.step_ref, 'type', s.type, 'status', s.status, 'error', s.error,
    'started_ms', ${msOf("s.started_at")}, 'finished_ms', ${msOf("s.finished_at")}) order by s.position)
  from step_runs s where s.project_id = w.project_id and s.workflow_run_id = w.id
    and s.started_at is not null and s.finished_at is not null`;

/** Not the time before it was due. */
function began(table: string): Sql {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return msOf(sql`least(greatest(${column("created_at")}, ${column("scheduled_at")}),
    coalesce(${column("started_at")}, ${column("finished_at")}))`);
}

/** A number is read faster than a time, and is what a span needs. */
function msOf(time: string | Sql): Sql {
  return sql`(date_part('epoch', ${typeof time === "string" ? sql.ref(time) : time}) * 1000)::bigint`;
}

/** The caller records the trace, if there is one: the lowest bit of the flags. */
function isSampled(column: string): Sql {
  return sql`coalesce(substr(${sql.ref(column)}, 55, 1) ~ '[13579bdf]', true)`;
}

/** The text of the statement does not depend on the drain. */
function isWanted(filter: string | string[] | null, column: string): Sql {
  const ids = typeof filter === "string" ? [filter] : filter;
  return sql`(${ids}::uuid[] is null or ${sql.ref(column)} = any(${ids}::uuid[]))`;
}
