import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import type { LoadedRun } from "../progress/loaded-run.ts";

/**
 * Writes the results of compensations, under the locks of their workflow runs: if a guard fails, nothing is written.
 */
export async function writeCompensations(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const changed = loadedRuns.flatMap(changedOf);
  if (changed.length === 0) return;
  const { rows } = await sql<{ moved: number }>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(changed)}::json) as g(
        project_id uuid, workflow_run_id uuid, step_ref text, generation int, was text, status text, run_id uuid,
        error jsonb)
      where ${fewRows("g.status")}
    ),
    moved as (
      update step_runs s set compensation_status = g.status, compensation_run_id = g.run_id,
        compensations = s.compensations + (g.was is null)::int,
        compensation_error = g.error, compensated_at = case when g.status = 'completed' then clock() end,
        updated_at = clock()
      from given g
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.step_ref = g.step_ref
        and s.generation = g.generation
        and (s.status = 'completed' or (s.type = 'map' and s.status in ('failed', 'canceled')))
        and s.compensation_status is not distinct from g.was
      returning 1
    )
    select count(*)::int as moved from moved`.execute(tx.db);
  if (rows[0]?.moved !== changed.length) throw new Error("compensations were changed without the lock");
}

function changedOf({ run, steps }: LoadedRun): object[] {
  return [...steps].flatMap(([step_ref, { generation, compensation }]) => {
    if (!compensation || compensation.status === compensation.was) return [];
    return [{ project_id: run.project_id, workflow_run_id: run.id, step_ref, generation, ...compensation }];
  });
}
