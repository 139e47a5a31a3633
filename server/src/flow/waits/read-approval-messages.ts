import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import type { TriggerRow } from "./read-trigger.ts";

type Trigger = Pick<TriggerRow, "id" | "workflow_run_id" | "wait_kind">;

/**
 * The messages of approvals among these waits, by the id of the wait. None for a step that was reset or erased since.
 */
export async function readApprovalMessages(
  ctx: Ctx,
  project_id: string,
  triggers: readonly Trigger[],
): Promise<Map<string, string>> {
  const approvals = triggers.filter(({ wait_kind }) => wait_kind === "approval");
  if (approvals.length === 0) return new Map();
  const { rows } = await sql<{ id: string; message: string }>`
    select g.id, s.message
    from unnest(${approvals.map(({ workflow_run_id }) => workflow_run_id)}::uuid[], ${approvals.map(({ id }) => id)}::uuid[])
      as g(workflow_run_id, id), lateral (
        select s.message from step_runs s
        where s.project_id = ${project_id} and s.workflow_run_id = g.workflow_run_id and s.event_trigger_id = g.id
          and s.message is not null
        limit 1
      ) s`.execute(ctx.db);
  return new Map(rows.map(({ id, message }) => [id, message]));
}
