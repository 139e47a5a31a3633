import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { LockedWorkflowRun } from "./run-in-hand.ts";

/**
 * The workflow runs that steps of this one have started are paused or resumed with it, by effects after the commit; each
 * leads its own in turn. The number of the move names the effects. True: there are some.
 */
export async function leadChildren(
  tx: Ctx & InTransaction,
  { project_id, id, moves }: LockedWorkflowRun,
): Promise<boolean> {
  const { rows } = await sql`
    insert into effects (project_id, transition_id, kind, target_id, created_at)
    select c.project_id, ${`${id}:${moves + 1}`}, 'follow_parent', c.id::text, clock()
    from workflow_runs c
    where c.parent_workflow_run_id = ${id} and c.project_id = ${project_id} and c.finished_at is null
    on conflict (project_id, transition_id, kind, target_id) do nothing
    returning 1`.execute(tx.db);
  return rows.length > 0;
}
