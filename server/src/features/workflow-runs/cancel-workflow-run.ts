import type { CancelWorkflowRun, Descendants } from "@millrace/contract/workflows/workflow-runs";
import { refuseEndedWorkflowRun } from "../../flow/workflows/change-workflow-run.ts";
import { cancelWorkflowRun as cancelInFlow } from "../../flow/workflows/stop/cancel-workflow-run.ts";
import { listBelow } from "../../flow/workflows/stop/stop-below.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./queries.ts";

export type StoppedRow = WorkflowRunRow & { descendants: Descendants };

/** Returns a run that is canceled or being canceled unchanged, and rejects one that ended otherwise. */
export async function cancelWorkflowRun(ctx: ProjectCtx, id: string, body: CancelWorkflowRun): Promise<StoppedRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  const reason = body.reason ?? null;
  const why = { cause: "canceled", reason, by: actorOf(ctx.caller) } as const;
  const after = { status: "canceled", reason };
  let descendants: Descendants | undefined;
  const { canceled, status } = await cancelInFlow(ctx, { project_id, workflow_run_id }, why, async (tx, before) => {
    descendants = await readDescendants(tx, workflow_run_id);
    await auditWorkflowRun(tx, { action: "canceled", workflow_run_id, before: { status: before.status }, after });
  });
  if (status === undefined) throw notFound("workflow run");
  if (!canceled && status !== "canceled") refuseEndedWorkflowRun({ status });
  descendants ??= await readDescendants(ctx, workflow_run_id);
  return { ...(await getWorkflowRun(ctx, workflow_run_id)), descendants };
}

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
