import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { compensationJob } from "../compensate/compensate-plan.ts";
import type { LoadedRun } from "../progress/loaded-run.ts";

/** Whether a step `alias` is an interrupted map with completed items. */
export function hasCompletedItems(alias: string): Sql<boolean> {
  const step = (column: string) => sql.ref(`${alias}.${column}`);
  return sql`(${step("type")} = 'map' and ${step("status")} in ('failed', 'canceled') and exists (
    select 1 from map_items i where i.project_id = ${step("project_id")}
      and i.workflow_run_id = ${step("workflow_run_id")} and i.step_ref = ${step("step_ref")}
      and i.status = 'completed'))`;
}

/** Records in compensating runs which of their interrupted maps have items to compensate. */
export async function markCompletedItems(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const interrupted = loadedRuns.flatMap(({ run, version, steps }) =>
    version.definition.steps.flatMap((definition) => {
      const step = steps.get(definition.step_ref);
      const isInterrupted = step?.status === "failed" || step?.status === "canceled";
      if (definition.type !== "map" || !isInterrupted || compensationJob(definition) === null) return [];
      return [{ project_id: run.project_id, workflow_run_id: run.id, step_ref: definition.step_ref, step }];
    }),
  );
  if (interrupted.length === 0) return;
  const keys = interrupted.map(({ step: _, ...key }) => key);
  const { rows } = await sql<{ workflow_run_id: string; step_ref: string }>`
    select g.workflow_run_id, g.step_ref
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, workflow_run_id uuid, step_ref text)
    where ${fewRows("g.step_ref")} and exists (
      select 1 from map_items i where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id
        and i.step_ref = g.step_ref and i.status = 'completed')`.execute(tx.db);
  const found = new Set(rows.map((row) => `${row.workflow_run_id}/${row.step_ref}`));
  for (const { workflow_run_id, step_ref, step } of interrupted) {
    step.hasCompletedItems = found.has(`${workflow_run_id}/${step_ref}`);
  }
}

/** The completed items of an interrupted map with their outputs, the newest first. */
export async function readCompletedItems(
  tx: Ctx & InTransaction,
  { project_id, id }: { project_id: string; id: string },
  step_ref: string,
): Promise<{ input: unknown[]; output: unknown[] }> {
  const { rows } = await sql<{ item: unknown; output: unknown }>`
    select item, output from map_items
    where project_id = ${project_id} and workflow_run_id = ${id} and step_ref = ${step_ref} and status = 'completed'
    order by finished_at desc, item_index desc`.execute(tx.db);
  return { input: rows.map((row) => row.item), output: rows.map((row) => row.output) };
}
