import { decisions, isWithin, type Positions, runChanges } from "../changelog/log-range.ts";
import { type Sql, sql } from "../database/sql.ts";

/** Objects that are read in their current state, once per range of the log. */
export type StateKind = "webhook_delivery" | "batch_operation";

/** Which changes are wanted: of the watched projects, log lines only of watched runs, states if any is watched. */
export type Watched = { project_ids: string[]; log_run_ids: string[]; states?: readonly StateKind[] };

/** The watched changes of a range, with the required fields of their object. */
export function changesIn(range: Positions, { project_ids, log_run_ids, states = [] }: Watched): Sql {
  const isWatched = (column: string) => sql`${sql.ref(column)} = any(${project_ids}::uuid[])`;
  const parts = [
    sql`
      select l.position, 0 as log, l.run_id as id, l.ordinal, l.project_id, l.run_id as object_id, l.created_at,
        r.environment_id, r.tags, jsonb_build_object(
          'environment_id', r.environment_id, 'job_id', r.job_id, 'workflow_run_id', r.workflow_run_id,
          'step_ref', r.step_ref, 'status', l.to_status, 'from_status', l.from_status, 'cause', l.cause,
          'attempt', l.attempt
        ) as data
      from ${runChanges(range)} cross join lateral (
        select * from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0
      ) r
      where ${isWatched("l.project_id")}`,
    sql`
      select l.position, 1, l.workflow_run_id, l.ordinal, l.project_id, l.workflow_run_id, l.created_at,
        w.environment_id, w.tags, jsonb_build_object(
          'environment_id', w.environment_id, 'workflow_id', w.workflow_id, 'version', w.version, 'status', w.status,
          'phase', w.phase, 'step_ref', l.step_ref, 'decision_type', l.decision_type)
      from ${decisions(range)} cross join lateral (
        select * from workflow_runs w where w.project_id = l.project_id and w.id = l.workflow_run_id offset 0
      ) w
      where ${isWatched("l.project_id")}`,
  ];
  if (log_run_ids.length > 0)
    parts.push(sql`
      select c.position, 2, g.id, 0, g.project_id, g.run_id, g.created_at, null, null, jsonb_build_object(
          'id', g.id, 'attempt', g.attempt, 'level', g.level, 'message', g.message, 'fields', g.fields,
          'logged_at', ${asText("g.logged_at")})
      from changelog c cross join lateral unnest(c.ids, c.row_ids) as m(run_id, id) cross join lateral (
        select g.* from run_logs g
        where g.project_id = c.project_id and g.run_id = m.run_id and g.created_at = c.created_at and g.id = m.id offset 0
      ) g
      where ${isWithin(range)} and c.kind = 'run_log' and ${isWatched("c.project_id")}
        and m.run_id = any(${log_run_ids}::uuid[])`);
  if (states.includes("webhook_delivery")) parts.push(deliveryChanges(range, isWatched("c.project_id")));
  if (states.includes("batch_operation")) parts.push(batchChanges(range, isWatched("c.project_id")));
  return sql.join(parts, sql` union all `);
}

/** While a delivery is claimed, `next_attempt_at` is the end of the claim, not the time of an attempt. */
function deliveryChanges(range: Positions, isWatched: Sql): Sql {
  return sql`
    select c.position, 3, v.id, 0, v.project_id, v.id, v.updated_at, v.environment_id, null, jsonb_build_object(
        'environment_id', v.environment_id, 'subscription_id', v.subscription_id, 'event_type', v.event_type,
        'source_type', v.source_type, 'source_id', v.source_id, 'status', v.status, 'attempts', v.attempts,
        'last_status_code', v.last_status_code,
        'next_attempt_at', case when v.claim_token is null then ${asText("v.next_attempt_at")} end)
    from ${lastOfEach("webhook_delivery", range, isWatched)} cross join lateral (
      select v.* from webhook_deliveries v where v.project_id = c.project_id and v.id = c.id offset 0
    ) v`;
}

function batchChanges(range: Positions, isWatched: Sql): Sql {
  return sql`
    select c.position, 4, b.id, 0, b.project_id, b.id, b.updated_at, b.environment_id, null, jsonb_build_object(
        'environment_id', b.environment_id, 'kind', b.kind, 'status', b.status, 'total', b.total,
        'processed', b.processed, 'succeeded', b.succeeded, 'failed', b.failed, 'skipped', b.skipped)
    from ${lastOfEach("batch_operation", range, isWatched)} cross join lateral (
      select b.* from batch_operations b where b.project_id = c.project_id and b.id = c.id offset 0
    ) b`;
}

/** Each changed object once, at its last position. */
function lastOfEach(kind: StateKind, range: Positions, isWatched: Sql): Sql {
  return sql`(
    select c.project_id, m.id, max(c.position) as position
    from changelog c cross join lateral unnest(c.ids) as m(id)
    where ${isWithin(range)} and c.kind = ${sql.lit(kind)} and ${isWatched}
    group by c.project_id, m.id
  ) c`;
}

function asText(column: string): Sql {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
