import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import type { TraceContext } from "../../../platform/trace-context.ts";
import { prepareRunInSlices } from "../../runs/create/prepare-run.ts";
import { triggerWithin } from "../../runs/create/trigger-runs.ts";
import { findTriggerableJob } from "../../runs/create/triggerable-job.ts";
import { contextOfWorkflowRun } from "../../trace.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import { readWorkflowRun } from "../workflow-run-columns.ts";

/** Starts the job that a workflow names for failures, with the failure as its payload. */
export async function startOnWorkflowFailure(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  const { project_id, transition_id, target_id } = entry;
  const [workflow_run_id = ""] = transition_id.split(":");
  const [run, job] = [
    await readWorkflowRun(tx, project_id, workflow_run_id),
    await findTriggerableJob(tx, project_id, target_id),
  ];
  if (!run) throw notFound("workflow run");
  if (!job) throw notFound("job");
  const { workflow_id, version, status, error, error_count, payload, finished_at } = run;
  const handler = await prepareRunInSlices(job, {
    payload: { workflow_run_id, workflow_id, version, status, error, error_count, payload, finished_at },
    metadata: { on_failure_of: workflow_run_id },
    environment_id: run.environment_id,
    created_by: `workflow_run:${workflow_run_id}`,
    trigger_type: "spawn",
    traceparent: contextOfWorkflowRun({ ...run, traceparent: await readTrace(tx, { project_id, workflow_run_id }) }),
  });
  const [result] = await triggerWithin(tx, [handler], "block");
  if (result?.kind === "stale") throw new Error("the job changed meanwhile; the entry is retried later");
}

async function readTrace(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_id }: WorkflowRunKey,
): Promise<TraceContext | null> {
  const { rows } = await sql<{ traceparent: TraceContext | null }>`
    select traceparent from workflow_runs where project_id = ${project_id} and id = ${workflow_run_id}`.execute(tx.db);
  return rows[0]?.traceparent ?? null;
}
