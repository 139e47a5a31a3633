import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";

/** By what the cost of a run is grouped. */
export type RunFacts = {
  run_id: string;
  project_id: string;
  job_id: string;
  environment_id: string;
  tags: Record<string, string>;
  concurrency_key: string | null;
  created_by: string;
  schedule_id: string | null;
  workflow_id: string | null;
};

/** By run id. A run that is gone is left out: nobody could say whose its cost was. */
export async function readRunFacts(
  tx: Ctx & InTransaction,
  keys: readonly { project_id: string; run_id: string }[],
): Promise<Map<string, RunFacts>> {
  const given = [...new Map(keys.map(({ project_id, run_id }) => [run_id, { project_id, run_id }])).values()];
  const { rows } = await sql<RunFacts>`
    /* kept */
    select r.*, w.workflow_id
    from json_to_recordset(${JSON.stringify(given)}::json) as g(project_id uuid, run_id uuid)
    cross join lateral (
      select r.id as run_id, r.project_id, r.job_id, r.environment_id, r.tags, r.concurrency_key, r.created_by,
        r.schedule_id, r.workflow_run_id
      from runs r where r.project_id = g.project_id and r.id = g.run_id offset 0
    ) r
    left join lateral (
      select w.workflow_id from workflow_runs w
      where w.project_id = r.project_id and w.id = r.workflow_run_id offset 0
    ) w on true`.execute(tx.db);
  return new Map(rows.map((row) => [row.run_id, row]));
}
