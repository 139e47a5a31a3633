import { type RawBuilder, sql } from "kysely";

/** Objects without a log, found by the transaction that changed them last: each object once, in its current state. */
export type StateKind = "webhook_delivery" | "batch_operation";

/** Which rows are wanted: of the watched projects, log lines only of watched runs, states if any is watched. */
export type Watched = { project_ids: string[]; log_run_ids: string[]; states?: readonly StateKind[] };

/** The order in which the changes of one transaction are delivered. */
export const SLICES = ["moves", "decisions", "lines", "deliveries", "batches"] as const;

/** The next rows of each log, for any project. `range` bounds a state; `logged` bounds a log by its time as well. */
export function slicesOf(
  { range, logged }: { range: RawBuilder<unknown>; logged: RawBuilder<unknown> },
  { log_run_ids, states = [] }: Watched,
): RawBuilder<unknown> {
  return sql`
    moves as materialized (
      select l.xid, l.project_id, l.run_id, l.ordinal, l.from_status, l.to_status, l.cause, l.attempt, l.created_at
      from run_transitions l where ${logged} ${range}
    ),
    decisions as materialized (
      select l.xid, l.project_id, l.workflow_run_id, l.ordinal, l.step_ref, l.decision_type, l.created_at
      from workflow_decisions l where ${logged} ${range}
    ),
    lines as materialized (
      select l.* from run_logs l where ${log_run_ids.length > 0}::boolean and ${logged} ${range}
    ),
    deliveries as materialized (
      select l.xid, l.project_id, l.id, l.environment_id, l.subscription_id, l.event_type, l.source_type, l.source_id,
        l.status, l.attempts, l.last_status_code, l.next_attempt_at, l.claim_token, l.updated_at
      from webhook_deliveries l where ${states.includes("webhook_delivery")}::boolean and ${range}
    ),
    batches as materialized (
      select l.xid, l.project_id, l.id, l.environment_id, l.kind, l.status, l.total, l.processed, l.succeeded, l.failed,
        l.skipped, l.updated_at
      from batch_operations l where ${states.includes("batch_operation")}::boolean and ${range}
    )`;
}

/** The watched rows among them, with the required fields of their object. */
export function changesIn({ project_ids, log_run_ids }: Watched): RawBuilder<unknown> {
  return sql`
    select m.xid, 0 as log, m.run_id as id, m.ordinal, m.project_id, m.run_id as object_id, m.created_at,
      r.environment_id, r.tags, jsonb_build_object(
        'environment_id', r.environment_id, 'job_id', r.job_id, 'workflow_run_id', r.workflow_run_id,
        'step_ref', r.step_ref, 'status', m.to_status, 'from_status', m.from_status, 'cause', m.cause,
        'attempt', m.attempt
      ) as data
    from moves m, lateral (
      select * from runs r where r.project_id = m.project_id and r.id = m.run_id offset 0
    ) r
    where m.project_id = any(${project_ids}::uuid[])
    union all
    select d.xid, 1, d.workflow_run_id, d.ordinal, d.project_id, d.workflow_run_id, d.created_at,
      w.environment_id, w.tags, jsonb_build_object(
        'environment_id', w.environment_id, 'workflow_id', w.workflow_id, 'version', w.version, 'status', w.status,
        'phase', w.phase, 'step_ref', d.step_ref, 'decision_type', d.decision_type)
    from decisions d, lateral (
      select * from workflow_runs w where w.project_id = d.project_id and w.id = d.workflow_run_id offset 0
    ) w
    where d.project_id = any(${project_ids}::uuid[])
    union all
    select g.xid, 2, g.id, 0, g.project_id, g.run_id, g.created_at, null, null, jsonb_build_object(
        'id', g.id, 'attempt', g.attempt, 'level', g.level, 'message', g.message, 'fields', g.fields,
        'logged_at', ${asText("g.logged_at")})
    from lines g
    where g.project_id = any(${project_ids}::uuid[]) and g.run_id = any(${log_run_ids}::uuid[])
    union all
    ${stateChanges(project_ids)}`;
}

/** While a delivery is claimed, `next_attempt_at` is the end of the claim, not the time of an attempt. */
function stateChanges(project_ids: string[]): RawBuilder<unknown> {
  return sql`
    select v.xid, 3, v.id, 0, v.project_id, v.id, v.updated_at, v.environment_id, null, jsonb_build_object(
        'environment_id', v.environment_id, 'subscription_id', v.subscription_id, 'event_type', v.event_type,
        'source_type', v.source_type, 'source_id', v.source_id, 'status', v.status, 'attempts', v.attempts,
        'last_status_code', v.last_status_code,
        'next_attempt_at', case when v.claim_token is null then ${asText("v.next_attempt_at")} end)
    from deliveries v where v.project_id = any(${project_ids}::uuid[])
    union all
    select b.xid, 4, b.id, 0, b.project_id, b.id, b.updated_at, b.environment_id, null, jsonb_build_object(
        'environment_id', b.environment_id, 'kind', b.kind, 'status', b.status, 'total', b.total,
        'processed', b.processed, 'succeeded', b.succeeded, 'failed', b.failed, 'skipped', b.skipped)
    from batches b where b.project_id = any(${project_ids}::uuid[])`;
}

function asText(column: string): RawBuilder<unknown> {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
