import { MAX_SPAN_JSON_BYTES, MAX_SPAN_TEXT } from "@millrace/contract/runs/traces";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { attemptId, type Scan } from "./phase-spans.ts";

/** Each reads at most the length of a page. Records name the attempt that reported them. */

/** Tool calls are reported when they finish. */
export function toolCallSpans(scan: Scan): Sql {
  const { project_id, run_id, page } = scan;
  return sql`
    select * from (
      select c.created_at, c.id, c.id::text as span_id, ${attemptId(scan, sql`c.attempt`)} as parent_id,
        'tool_call' as kind, left(c.name, 200) as name, c.status,
        c.created_at - coalesce(c.duration_ms, 0) * interval '1 ms' as started_at, c.created_at as finished_at,
        c.attempt, null::uuid as run_id, null::uuid as workflow_run_id,
        jsonb_build_object('input', ${small("c.input")}, 'output', ${small("c.output")},
          'error', left(c.error, ${MAX_SPAN_TEXT}::int), 'duration_ms', c.duration_ms) as attributes
      from run_tool_calls c where c.project_id = ${project_id} and c.run_id = ${run_id}
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`;
}

export function checkpointSpans(scan: Scan): Sql {
  const { project_id, run_id, page } = scan;
  return sql`
    select * from (
      select c.created_at, c.id, c.id::text as span_id, ${attemptId(scan, sql`c.attempt`)} as parent_id,
        'checkpoint' as kind, 'Checkpoint' as name, 'completed' as status, c.created_at as started_at,
        c.created_at as finished_at, c.attempt, null::uuid as run_id, null::uuid as workflow_run_id,
        '{}'::jsonb as attributes
      from run_checkpoints c where c.project_id = ${project_id} and c.run_id = ${run_id}
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`;
}

export function logSpans(scan: Scan): Sql {
  const { project_id, run_id, page } = scan;
  return sql`
    select * from (
      select l.created_at, l.id, l.id::text as span_id, ${attemptId(scan, sql`l.attempt`)} as parent_id, 'log' as kind,
        left(l.message, ${MAX_SPAN_TEXT}::int) as name, l.level as status, l.logged_at as started_at,
        l.logged_at as finished_at, l.attempt, null::uuid as run_id, null::uuid as workflow_run_id,
        jsonb_build_object('fields', ${small("l.fields")}) as attributes
      from run_logs l where l.project_id = ${project_id} and l.run_id = ${run_id}
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`;
}

function small(column: string): Sql {
  return sql`case when pg_column_size(${sql.ref(column)}) <= ${MAX_SPAN_JSON_BYTES}::int then ${sql.ref(column)} end`;
}
