import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import type { TraceContext } from "../../../platform/trace-context.ts";
import { contextOfRun } from "../../trace.ts";
import { readRun } from "../run-columns.ts";
import { prepareRunInSlices } from "./prepare-run.ts";
import { triggerWithin } from "./trigger-runs.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

/** Starts the job configured for failures of a run, with the failure as its payload. */
export async function startOnFailure(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  const { project_id, transition_id, target_id } = entry;
  const [run_id = ""] = transition_id.split(":");
  const [run, job] = [await readRun(tx, project_id, run_id), await findTriggerableJob(tx, project_id, target_id)];
  if (!run) throw notFound("run");
  if (!job) throw notFound("job");
  // A failing failure handler would otherwise start itself forever.
  if (run.metadata.on_failure_of !== undefined) {
    throw new ApiError("conflict", "The run is itself a failure handler, so its failure does not start another one.");
  }
  const { status, error, payload, attempt, finished_at } = run;
  const handler = await prepareRunInSlices(job, {
    payload: { run_id, job_id: run.job_id, status, error, payload, attempt, finished_at },
    metadata: { on_failure_of: run_id },
    environment_id: run.environment_id,
    created_by: `run:${run_id}`,
    trigger_type: "spawn",
    traceparent: contextOfRun({ ...run, traceparent: await readTrace(tx, { project_id, run_id }) }),
  });
  const [result] = await triggerWithin(tx, [handler], "block");
  if (result?.kind === "stale") throw new Error("the job changed meanwhile; the entry is retried later");
}

type RunKey = { project_id: string; run_id: string };

async function readTrace(tx: Ctx & InTransaction, { project_id, run_id }: RunKey): Promise<TraceContext | null> {
  const { rows } = await sql<{ traceparent: TraceContext | null }>`
    select traceparent from runs where project_id = ${project_id} and id = ${run_id}`.execute(tx.db);
  return rows[0]?.traceparent ?? null;
}
