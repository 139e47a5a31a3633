import { type RawBuilder, sql } from "kysely";

/**
 * A part of every statement that ends runs: inserts the outbox entries for the consequences of their ends. `ended` has
 * `project_id, run_id, moves, awaited_by, has_dependents`, and `on_failure_job_id` where the end is a failure.
 */
export function endCaused({ isFailure }: { isFailure: boolean }): RawBuilder<unknown> {
  const onFailure = sql`
    select project_id, run_id || ':' || moves, 'on_failure', on_failure_job_id::text, clock()
    from ended where on_failure_job_id is not null
    union all`;
  return sql`
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, created_at)
      ${isFailure ? onFailure : sql``}
      select project_id, run_id || ':' || moves, 'child_ended', awaited_by::text, clock()
      from ended where awaited_by is not null
      union all
      select project_id, run_id || ':' || moves, 'dependents', run_id::text, clock()
      from ended where has_dependents
    )`;
}
