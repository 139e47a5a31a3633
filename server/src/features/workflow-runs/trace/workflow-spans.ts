import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { Page } from "../../../platform/listing/page.ts";

type Scan = { project_id: string; workflow_run_id: string; page: Page };
/** Predicates for what the caller may read, of `runs c`, `workflow_runs w`, `workflows f` and `event_triggers t`. */
type Readable = { run: Sql; workflowRun: Sql; workflow: Sql; trigger: Sql };

/** The workflow run itself, the parent of all others. */
export function runSpan({ project_id, workflow_run_id }: Scan, may: Readable): Sql {
  return sql`
    select r.created_at, r.id, r.id::text as span_id, null as parent_id, null as step_ref, 'workflow_run' as kind,
      coalesce(f.name, 'Workflow run') as name, r.status, r.created_at as started_at, r.finished_at,
      null::int as attempt, null::uuid as run_id, r.id as workflow_run_id,
      jsonb_build_object('workflow_id', r.workflow_id, 'version', r.version, 'trigger_type', r.trigger_type,
        'phase', r.phase) as attributes
    from workflow_runs r left join workflows f on f.project_id = r.project_id and f.id = r.workflow_id and ${may.workflow}
    where r.project_id = ${project_id} and r.id = ${workflow_run_id}`;
}

/** Steps that have started. A definition has at most a few hundred. */
export function stepSpans({ project_id, workflow_run_id }: Scan, may: Readable): Sql {
  return sql`
    select s.started_at as created_at, s.id, ${workflow_run_id} || ':step:' || s.step_ref as span_id,
      ${workflow_run_id} as parent_id, s.step_ref, 'workflow_step' as kind, s.step_ref as name, s.status, s.started_at,
      s.finished_at, null::int as attempt, ${readableRun(project_id, sql`s.run_id`, may)} as run_id,
      ${readableWorkflowRun(project_id, sql`s.child_workflow_run_id`, may)} as workflow_run_id,
      jsonb_build_object('type', s.type, 'generation', s.generation, 'cause', s.cause, 'cause_ref', s.cause_ref,
        'message', left(s.message, 1000), 'error', s.error, 'event_key', t.event_key, 'expires_at', t.expires_at,
        'sent_by', t.sent_by) as attributes
    from step_runs s left join lateral (
      select case t.wait_kind when 'event' then t.event_key end as event_key, t.expires_at, t.sent_by
      from event_triggers t where t.project_id = ${project_id} and t.id = s.event_trigger_id and ${may.trigger}
    ) t on true
    where s.project_id = ${project_id} and s.workflow_run_id = ${workflow_run_id} and s.started_at is not null`;
}

/** `result`: the columns of an item's output and error, without those that policies hide. */
export function itemSpans({ project_id, workflow_run_id, page }: Scan, may: Readable, result: Sql): Sql {
  return sql`
    select * from (
      select i.started_at as created_at, md5(i.step_ref || ':' || i.item_index)::uuid as id,
        ${workflow_run_id} || ':item:' || i.step_ref || ':' || i.item_index as span_id,
        ${workflow_run_id} || ':step:' || i.step_ref as parent_id, i.step_ref, 'map_item' as kind,
        i.step_ref || '[' || i.item_index || ']' as name, i.status, i.started_at, i.finished_at, null::int as attempt,
        ${readableRun(project_id, sql`i.run_id`, may)} as run_id,
        ${readableWorkflowRun(project_id, sql`i.child_workflow_run_id`, may)} as workflow_run_id,
        jsonb_build_object('item_index', i.item_index, 'generation', i.generation, 'error', i.error) as attributes
      from (
        select i.step_ref, i.item_index, i.generation, i.status, i.started_at, i.finished_at, i.run_id,
          i.child_workflow_run_id, ${result}
        from map_items i
        where i.project_id = ${project_id} and i.workflow_run_id = ${workflow_run_id} and i.started_at is not null
      ) i
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`;
}

/** Compensations whose runs the caller may read: they begin and end with them. */
export function compensationSpans({ project_id, workflow_run_id }: Scan, may: Readable): Sql {
  return sql`
    select c.created_at, c.id, ${workflow_run_id} || ':compensation:' || s.step_ref as span_id,
      ${workflow_run_id} as parent_id, s.step_ref, 'compensation' as kind, 'Compensate ' || s.step_ref as name,
      coalesce(s.compensation_status, 'running') as status, c.created_at as started_at,
      coalesce(s.compensated_at, c.finished_at) as finished_at, null::int as attempt, c.id as run_id,
      null::uuid as workflow_run_id, jsonb_build_object('error', s.compensation_error) as attributes
    from step_runs s join runs c on c.project_id = s.project_id and c.id = s.compensation_run_id and ${may.run}
    where s.project_id = ${project_id} and s.workflow_run_id = ${workflow_run_id}`;
}

function readableRun(project_id: string, id: Sql, may: Readable): Sql {
  return sql`(select c.id from runs c where c.project_id = ${project_id} and c.id = ${id} and ${may.run})`;
}

function readableWorkflowRun(project_id: string, id: Sql, may: Readable): Sql {
  return sql`(select w.id from workflow_runs w where w.project_id = ${project_id} and w.id = ${id} and ${may.workflowRun})`;
}
