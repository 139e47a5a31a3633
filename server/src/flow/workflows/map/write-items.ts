import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { StepError } from "../plan/definition.ts";
import { type LoadedRun, stepOf } from "../progress/loaded-run.ts";

/** An item that was started, or that failed to start. */
export type WrittenItem = {
  loaded: LoadedRun;
  step_ref: string;
  item_index: number;
  status: "running" | "failed";
  error?: StepError;
  run_id?: string;
  child_workflow_run_id?: string;
};

type Touched = Pick<WrittenItem, "loaded" | "step_ref">;

/** Writes items that were pending, and the counts per status of `touched` steps. */
export async function writeItems(
  tx: Ctx & InTransaction,
  items: readonly WrittenItem[],
  touched: readonly Touched[] = items,
): Promise<void> {
  if (touched.length === 0) return;
  const rows = items.map(({ loaded, ...item }) => ({
    ...item,
    project_id: loaded.run.project_id,
    workflow_run_id: loaded.run.id,
    generation: stepOf(loaded, item.step_ref).generation,
  }));
  const { rows: written } = await sql<{ moved: number }>`
    /* prepared */
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as g(
        project_id uuid, workflow_run_id uuid, step_ref text, item_index int, generation int, status text, error jsonb,
        run_id uuid, child_workflow_run_id uuid)
      where ${fewRows("g.status")}
    ),
    counted as (
      update map_steps m set pending = c.pending, running = c.running, failed = c.failed, next_index = c.next_index
      from json_to_recordset(${JSON.stringify(countsOf(touched))}::json) as c(
        project_id uuid, workflow_run_id uuid, step_ref text, pending int, running int, failed int, next_index int)
      where m.project_id = c.project_id and m.workflow_run_id = c.workflow_run_id and m.step_ref = c.step_ref
        and ${fewRows("c.step_ref")}
    ),
    moved as (
      update map_items i set prev_status = i.status, status = g.status, generation = g.generation, error = g.error,
        run_id = g.run_id, child_workflow_run_id = g.child_workflow_run_id, started_at = clock(),
        finished_at = case when g.status = 'failed' then clock() end, updated_at = clock()
      from given g
      where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id and i.step_ref = g.step_ref
        and i.item_index = g.item_index and i.status = 'pending'
      returning 1
    )
    select count(*)::int as moved from moved`.execute(tx.db);
  if (written[0]?.moved !== items.length) throw new Error("items were changed without the lock");
}

function countsOf(touched: readonly Touched[]): object[] {
  const steps = new Map(touched.map(({ loaded, step_ref }) => [`${loaded.run.id}/${step_ref}`, { loaded, step_ref }]));
  return [...steps.values()].map(({ loaded, step_ref }) => {
    const { scope: _, ...counts } = loaded.maps.get(step_ref) ?? {};
    return { project_id: loaded.run.project_id, workflow_run_id: loaded.run.id, step_ref, ...counts };
  });
}
