import type { Descendants } from "@millrace/contract/workflow-runs";
import { sql } from "kysely";
import type { ProjectCtx } from "../../platform/context.ts";

/**
 * What below a stopped workflow run is not where it is going yet. Asked in the transaction of the stop, `in_flight` bounds
 * what endpoints are still called for: nothing is claimed after it.
 */
export async function readDescendants({ db, project_id }: ProjectCtx, workflow_run_id: string): Promise<Descendants> {
  const { rows } = await sql<Descendants>`
    with recursive tree as (
      select ${workflow_run_id}::uuid as id, false as is_open
      union all
      select c.id, c.is_open from tree t, lateral (
        select c.id, c.finished_at is null and c.status <> 'paused' as is_open from workflow_runs c
        where c.parent_workflow_run_id = t.id and c.project_id = ${project_id} offset 0
      ) c
    ),
    queued as (
      select q.lease_until is not null as is_leased from tree t, lateral (
        select q.lease_until from run_queue q
        where q.project_id = ${project_id} and q.workflow_run_id = t.id and q.workflow_run_id is not null offset 0
      ) q
    )
    select (count(*) filter (where is_leased))::int as in_flight,
      (count(*) filter (where not is_leased) + (select count(*) from tree where is_open))::int as pending
    from queued`.execute(db);
  return rows[0] ?? { in_flight: 0, pending: 0 };
}
