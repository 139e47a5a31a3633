import type { Descendants } from "@millrace/contract/workflow-runs";
import { sql } from "kysely";
import { listBelow } from "../../flow/workflows/stop/stop-below.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/**
 * Counts the descendants of a canceled or paused workflow run that have not stopped yet. Read in the stop's
 * transaction, `in_flight` bounds how many endpoints are still called: nothing is claimed after it.
 */
export async function readDescendants(ctx: ProjectCtx, workflow_run_id: string): Promise<Descendants> {
  const below = await listBelow(ctx, ctx.project_id, workflow_run_id);
  const ids = [workflow_run_id, ...below.map((run) => run.id)];
  const { rows } = await sql<Descendants>`
    select (count(*) filter (where lease_until is not null))::int as in_flight,
      (count(*) filter (where lease_until is null))::int as pending
    from run_queue
    where project_id = ${ctx.project_id} and workflow_run_id = any(${ids}::uuid[])
      and workflow_run_id is not null`.execute(ctx.db);
  const { in_flight = 0, pending = 0 } = rows[0] ?? {};
  const open = below.filter(({ status, has_ended }) => !has_ended && status !== "paused").length;
  return { in_flight, pending: pending + open };
}
