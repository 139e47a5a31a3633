import { createdByKind } from "../../../flow/budget/run-sums.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { bucketAt, DAY_SECS, finestOf } from "./costs-period.ts";

/** Usage reported in a bucket of a job, or on a day of a group. */
export type ReportSum = {
  project_id: string;
  environment_id: string;
  job_id: string;
  kind: string;
  part: "named" | "none";
  name: string;
  value: string;
  secs: number;
  at_s: number;
  reports: number;
  reported_microusd: number;
  input_tokens: number;
  output_tokens: number;
};

/** Sums usage reports inside the database. They are recorded when they are made: a dispatch may take hours. */
export async function sumReports(tx: Ctx & InTransaction, log: Sql): Promise<ReportSum[]> {
  const { rows } = await sql<ReportSum>`
    /* prepared */
    with reported as materialized (
      select l.project_id, l.run_id, l.provider, l.model, l.input_tokens, l.output_tokens, l.cost_microusd, l.created_at
      from ${log}
    ),
    recorded as materialized (
      select t.*, r.*, w.workflow_id, ${finestOf(sql`t.created_at`)} as secs from reported t ${RUN_FACTS}
    )
    select b.project_id, b.environment_id, b.job_id, 'job' as kind, 'none' as part, '' as name, '' as value, b.secs,
      ${bucketAt(sql`b.created_at`, sql`b.secs`)} as at_s, ${SUMS}, '' as earliest
    from recorded b group by b.project_id, b.environment_id, b.job_id, b.secs, ${bucketAt(sql`b.created_at`, sql`b.secs`)}
    union all
    select b.project_id, b.environment_id, b.job_id, g.kind, g.part, g.name, g.value, ${DAY_SECS},
      ${bucketAt(sql`b.created_at`, DAY_SECS)}, ${SUMS}, min(b.run_id::text)
    from recorded b cross join lateral (${RUN_GROUPS}
      union all select 'model', case when coalesce(b.provider, b.model) is null then 'none' else 'named' end,
        coalesce(b.provider, ''), coalesce(b.model, '')
    ) g
    group by b.project_id, b.environment_id, b.job_id, g.kind, g.part, g.name, g.value, ${bucketAt(sql`b.created_at`, DAY_SECS)}
    order by earliest`.execute(tx.db);
  return rows;
}

function exact(column: string): Sql {
  return sql`least(sum(coalesce(${sql.ref(column)}, 0)), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

const SUMS = sql`count(*) as reports, ${exact("b.cost_microusd")} as reported_microusd,
  ${exact("b.input_tokens")} as input_tokens, ${exact("b.output_tokens")} as output_tokens`;

/**
 * The columns that group the cost of a run, joined to a row `t(project_id, run_id)`. The row is dropped if its run was
 * removed.
 */
const RUN_FACTS: Sql = sql`
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
const RUN_GROUPS: Sql = sql`
  select 'tag' as kind, 'named' as part, t.key as name, t.value from jsonb_each_text(b.tags) t
  union all select 'concurrency_key', case when b.concurrency_key is null then 'none' else 'named' end,
    coalesce(b.concurrency_key, ''), ''
  union all select 'created_by', 'named', b.created_by, ''
  union all select 'workflow', case when b.workflow_id is null then 'none' else 'named' end,
    coalesce(b.workflow_id::text, ''), ''
  union all select 'schedule', 'named', b.schedule_id::text, '' where b.schedule_id is not null`;
