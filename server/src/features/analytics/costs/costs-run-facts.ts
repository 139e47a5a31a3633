import { type RawBuilder, sql } from "kysely";
import { createdByKind } from "../../../flow/runs/create/created-by-kind.ts";

/**
 * The columns that group the cost of a run, joined to a row `t(project_id, run_id)`. The row is dropped if its run was
 * removed.
 */
export const RUN_FACTS: RawBuilder<unknown> = sql`
  cross join lateral (
    select r.job_id, r.environment_id, r.tags, r.concurrency_key, r.schedule_id, r.workflow_run_id, r.started_at,
      ${createdByKind(sql`r.created_by`)} as created_by
    from runs r where r.project_id = t.project_id and r.id = t.run_id offset 0
  ) r
  left join lateral (
    select w.workflow_id from workflow_runs w
    where w.project_id = t.project_id and w.id = r.workflow_run_id offset 0
  ) w on true`;

/** The groups that a row `b` with these columns belongs to, in addition to its job. */
export const RUN_GROUPS: RawBuilder<unknown> = sql`
  select 'tag' as kind, 'named' as part, t.key as name, t.value from jsonb_each_text(b.tags) t
  union all select 'concurrency_key', case when b.concurrency_key is null then 'none' else 'named' end,
    coalesce(b.concurrency_key, ''), ''
  union all select 'created_by', 'named', b.created_by, ''
  union all select 'workflow', case when b.workflow_id is null then 'none' else 'named' end,
    coalesce(b.workflow_id::text, ''), ''
  union all select 'schedule', 'named', b.schedule_id::text, '' where b.schedule_id is not null`;
