import { sql } from "../../../platform/database/sql.ts";
import { MAX_COUNTED, type StatePart } from "./state-part.ts";

const MOST = sql.lit(MAX_COUNTED);

/** Each count reads at most `MAX_COUNTED` entries of one index, in its order. */
export const workflowState: StatePart = {
  tables: sql`
    active_workflow_runs as (
      select count(*) as count from (
        select w.id from workflow_runs w where w.finished_at is null
        order by w.project_id, w.workflow_id, w.version_id, w.id limit ${MOST}
      ) w
    ),
    due_workflow_runs as materialized (
      select count(*) as count, min(w.scheduled_at) as oldest_at from (
        select w.scheduled_at from workflow_runs w
        where w.status = 'pending' and w.blocked_on is null and w.stopped is null and w.scheduled_at <= clock()
        order by w.scheduled_at limit ${MOST}
      ) w
    ),
    blocked_workflow_runs as (
      select count(*) as count from (
        select w.id from workflow_runs w where w.status = 'pending' and w.blocked_on is not null
        order by w.project_id, w.blocked_on, w.scheduled_at, w.id limit ${MOST}
      ) w
    ),
    open_waits as materialized (
      select count(*) as count, min(t.expires_at) as first_at from (
        select t.expires_at from event_triggers t where t.status = 'waiting'
        order by t.expires_at, t.id, t.project_id limit ${MOST}
      ) t
    ),
    kept_events as (
      select count(*) as count from (select b.expires_at from buffered_events b order by b.expires_at limit ${MOST}) b
    )`,
  rows: sql`
    select 'workflow_runs_active', '{}'::jsonb, count::float8 from active_workflow_runs
    union all
    select 'workflow_runs_due', '{}', count from due_workflow_runs
    union all
    select 'workflow_runs_oldest_due_seconds', '{}', coalesce(extract(epoch from clock() - oldest_at), 0)::float8
    from due_workflow_runs
    union all
    select 'workflow_runs_blocked', '{}', count from blocked_workflow_runs
    union all
    select 'waits', '{}', count from open_waits
    union all
    select 'waits_overdue_seconds', '{}', greatest(extract(epoch from clock() - first_at), 0)::float8 from open_waits
    union all
    select 'buffered_events', '{}', count from kept_events`,
};
