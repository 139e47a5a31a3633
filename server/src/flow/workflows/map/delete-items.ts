import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

/** Deletes the items of map steps whose list will be evaluated again. Running ones have been canceled before. */
export async function deleteItems(
  tx: Ctx & InTransaction,
  { project_id, id }: { project_id: string; id: string },
  refs: readonly string[],
): Promise<void> {
  if (refs.length === 0) return;
  await sql`
    with deleted as (
      delete from map_steps
      where project_id = ${project_id} and workflow_run_id = ${id} and step_ref = any(${refs}::text[])
    )
    delete from map_items
    where project_id = ${project_id} and workflow_run_id = ${id} and step_ref = any(${refs}::text[])`.execute(tx.db);
}

/** The runs of items that did not complete: one may have failed before its item was canceled with the others. */
export async function listUndoneItems(
  tx: Ctx & InTransaction,
  { project_id, id }: { project_id: string; id: string },
  refs: readonly string[],
): Promise<string[]> {
  if (refs.length === 0) return [];
  const { rows } = await sql<{ run_id: string }>`
    select run_id from map_items
    where project_id = ${project_id} and workflow_run_id = ${id} and step_ref = any(${refs}::text[])
      and status <> 'completed' and run_id is not null`.execute(tx.db);
  return rows.map((row) => row.run_id);
}
