import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { TraceContext } from "../../../platform/trace-context.ts";
import type { ClaimedDrain } from "../claim-drains.ts";
import { type Placed, readUnsent, type Unsent } from "../signal.ts";

type Times = { started_at: string; finished_at: string };

export type EndedAttempt = Times & { attempt: number; to_status: string; outcome: string; http_status: number | null };

export type EndedRun = {
  kind: "run";
  status: string;
  traceparent: TraceContext | null;
  created_at: string;
  scheduled_at: string;
  started_at: string | null;
  finished_at: string;
  environment_id: string;
  error: { code?: string; message?: string } | null;
  trigger_type: string;
  job_id: string;
  job_slug: string;
  attempt: number;
  workflow_run_id: string | null;
  step_ref: string | null;
  parent_run_id: string | null;
  http_status: number | null;
  /** Null: it had at most one, as long as the run itself. */
  attempts: EndedAttempt[] | null;
};

export type EndedStep = Times & { step_ref: string; type: string; status: string; error: EndedRun["error"] };

export type EndedWorkflowRun = Omit<EndedRun, "kind" | `job_${string}` | "attempt" | "attempts" | "http_status"> & {
  kind: "workflow_run";
  workflow_id: string;
  workflow_slug: string;
  version: number;
  steps: EndedStep[] | null;
};

/** A run or workflow run that has ended. */
export type EndedRecord = Placed & { project_id: string; ended: EndedRun | EndedWorkflowRun };

/** The next runs and workflow runs of a drain that have ended. */
export function readEnded(ctx: Ctx, drain: ClaimedDrain): Promise<Unsent<EndedRecord>> {
  const records = sql`
    select l.position, l.id, l.created_at, l.project_id, e.ended from scanned l cross join lateral (
      ${endedRun(drain)} union all ${endedWorkflowRun(drain)}
    ) e where true`;
  return readUnsent(ctx, { entries: unsentEnds(drain), records });
}

/** All ends that a drain has not sent, as rows `l`, including those of traces that their callers do not record. */
export function unsentEnds({ project_id, position, after_id }: ClaimedDrain): Sql {
  return sql`(
    select c.position, m.id, c.created_at, c.project_id, c.kind
    from changelog c cross join lateral unnest(c.ids, c.to_statuses, c.ordinals) as m(id, to_status, ordinal)
    where c.project_id = ${project_id} and c.kind in ('run', 'workflow_run') and c.position >= ${position}
      and (c.position, m.id) > (${position}, ${after_id}::uuid)
      and case c.kind when 'run' then m.to_status in ('completed', 'failed', 'timed_out', 'canceled') else exists (
        select 1 from workflow_decisions d
        where d.project_id = c.project_id and d.workflow_run_id = m.id and d.ordinal = m.ordinal
          and d.created_at = c.created_at and d.decision_type = 'end') end
  ) l`;
}

/** The caller records the trace, if there is one: the lowest bit of the flags. */
const isSampled = (column: string) => sql`coalesce(substr(${sql.ref(column)}, 55, 1) ~ '[13579bdf]', true)`;

/** History is read only where the run's own row does not tell when its attempts began and ended. */
function endedRun({ job_ids, environment_id }: ClaimedDrain): Sql {
  return sql`
    select json_build_object('kind', 'run', 'status', r.status, 'traceparent', r.traceparent, 'created_at', r.created_at,
      'scheduled_at', r.scheduled_at, 'started_at', r.started_at, 'finished_at', r.finished_at,
      'environment_id', r.environment_id, 'error', r.error, 'trigger_type', r.trigger_type, 'job_id', r.job_id,
      'job_slug', j.slug, 'attempt', r.attempt, 'workflow_run_id', r.workflow_run_id, 'step_ref', r.step_ref,
      'parent_run_id', r.parent_run_id, 'http_status', r.end_http_status,
      'attempts', case when r.attempt > 1 or r.waits > 0 then (${attempts}) end) as ended
    from runs r join jobs j on j.project_id = r.project_id and j.id = r.job_id
    where l.kind = 'run' and r.project_id = l.project_id and r.id = l.id and r.finished_at is not null
      and ${isSampled("r.traceparent")}
      ${job_ids === null ? sql`` : sql`and r.job_id = any(${job_ids}::uuid[])`}
      ${environment_id === null ? sql`` : sql`and r.environment_id = ${environment_id}`}`;
}

const attempts = sql`
  select json_agg(json_build_object('attempt', h.attempt, 'started_at', h.created_at, 'finished_at', h.ended_at,
    'to_status', h.became, 'outcome', h.outcome, 'http_status', h.http_status) order by h.ordinal)
  from (
    select t.attempt, t.ordinal, t.to_status, t.created_at, lead(t.created_at) over transitions as ended_at,
      lead(t.to_status) over transitions as became, lead(t.cause) over transitions as outcome, (lead(t.detail) over transitions ->> 'http_status')::int as http_status
    from run_history t where t.project_id = r.project_id and t.run_id = r.id window transitions as (order by t.ordinal)
  ) h where h.to_status = 'running' and h.ended_at is not null`;

/** A drain of certain jobs does not send workflow runs. */
function endedWorkflowRun({ job_ids, environment_id }: ClaimedDrain): Sql {
  return sql`
    select json_build_object('kind', 'workflow_run', 'status', w.status, 'traceparent', w.traceparent,
      'created_at', w.created_at, 'scheduled_at', w.scheduled_at, 'started_at', w.started_at,
      'finished_at', w.finished_at, 'environment_id', w.environment_id, 'error', w.error,
      'trigger_type', w.trigger_type, 'workflow_id', w.workflow_id, 'workflow_slug', f.slug, 'version', w.version,
      'workflow_run_id', w.parent_workflow_run_id, 'step_ref', w.parent_step_ref, 'steps', (
        select json_agg(json_build_object('step_ref', s.step_ref, 'type', s.type, 'status', s.status, 'error', s.error,
          'started_at', s.started_at, 'finished_at', s.finished_at) order by s.position)
        from step_runs s where s.project_id = w.project_id and s.workflow_run_id = w.id
          and s.started_at is not null and s.finished_at is not null
      ))
    from workflow_runs w join workflows f on f.project_id = w.project_id and f.id = w.workflow_id
    where l.kind = 'workflow_run' and w.project_id = l.project_id and w.id = l.id and w.finished_at is not null
      and ${job_ids === null} and ${isSampled("w.traceparent")}
      ${environment_id === null ? sql`` : sql`and w.environment_id = ${environment_id}`}`;
}
