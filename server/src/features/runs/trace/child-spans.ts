import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { Scan } from "./phase-spans.ts";
import type { Readable } from "./readable-by.ts";

/** The runs that the run spawned and the caller may read: below the wait for them, else below their attempt. */
export function childSpans({ project_id, run_id, page }: Scan, may: Readable): Sql {
  return sql`
    select * from (
      select c.created_at, c.id, c.id::text as span_id, coalesce(
          (select w.span_id from phases w where w.child_run_id = c.id limit 1),
          (select a.span_id from phases a where a.to_status = 'running' and a.created_at <= c.created_at
            order by a.ordinal desc limit 1), ${run_id}) as parent_id,
        'run' as kind, coalesce(j.name, 'Run') as name, c.status, c.created_at as started_at, c.finished_at,
        null::int as attempt, c.id as run_id, null::uuid as workflow_run_id,
        jsonb_build_object('job_id', c.job_id, 'tries_used', c.tries_used, 'error', c.error) as attributes
      from runs c left join jobs j on j.project_id = c.project_id and j.id = c.job_id and ${may.job}
      where c.project_id = ${project_id} and c.parent_run_id = ${run_id} and ${may.run}
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`;
}
