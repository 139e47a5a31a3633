import type { WorkflowRun } from "@millrace/contract/workflow-runs";
import type { TriggerWorkflow } from "@millrace/contract/workflows";
import { leaveOutOfRuns } from "../../../flow/workflows/operate/leave-out-denied.ts";
import type { NewWorkflowRun } from "../../../flow/workflows/start/new-workflow-run.ts";
import type { WorkflowTrigger } from "../../../flow/workflows/start/prepare-workflow-run.ts";
import { presentNewWorkflowRun } from "../../../flow/workflows/start/start-workflow-runs.ts";
import { waitForWorkflowEnd } from "../../../flow/workflows/start/wait-for-workflow-end.ts";
import { findWorkflowVersion } from "../../../flow/workflows/start/workflow-version.ts";
import { readWorkflowRun } from "../../../flow/workflows/workflow-run-columns.ts";
import { readRequestedEnvironment } from "../../../platform/access/requested-environment.ts";
import { actorOf, createdBy } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { ApiError, invalid, notFound } from "../../../platform/errors/errors.ts";
import { hashRequest, withHeaderKey } from "../../../platform/idempotency-key.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { parseInstant } from "../../../platform/time/instant.ts";
import { checkTrigger } from "./check-trigger.ts";
import { submitTrigger } from "./submit-trigger.ts";

type TriggerRequest = TriggerWorkflow & { wait_secs?: number; header_key?: string };

/**
 * Creates a workflow run, or returns the existing one for its key. With `wait_secs` it waits for the run's end. A dry
 * run previews the result.
 */
export async function triggerWorkflow(
  ctx: ProjectCtx,
  ref: string,
  request: TriggerRequest,
  reply: RouteReply,
): Promise<WorkflowRun> {
  // A run that has ended may quote the error of a run that the caller may not read.
  const [shown] = await leaveOutOfRuns(ctx, [await trigger(ctx, ref, request, reply)]);
  if (!shown) throw new Error("the workflow run is missing from the redacted list");
  return shown;
}

async function trigger(ctx: ProjectCtx, ref: string, request: TriggerRequest, reply: RouteReply): Promise<WorkflowRun> {
  const { wait_secs, header_key, dry_run, project_id: _, ...item } = request;
  const read = await readTrigger(ctx, withHeaderKey(item, header_key));
  const result = dry_run ? await checkTrigger(ctx, ref, read) : await submitTrigger(ctx, ref, read);
  if (result.kind === "created") {
    if (wait_secs === undefined) return result.run;
    return respondWhenEnded(ctx, result.run.id, wait_secs, reply);
  }
  reply.status(200);
  if (result.kind === "new") return presentPreview(ctx, result.run);
  reply.header("Idempotent-Replayed", "true");
  if (wait_secs !== undefined) return respondWhenEnded(ctx, result.workflow_run_id, wait_secs, reply);
  const run = await readWorkflowRun(ctx, ctx.project_id, result.workflow_run_id);
  if (!run) throw notFound("workflow run");
  return run;
}

/** The run as it would be created now, before its first step is considered. */
async function presentPreview(ctx: ProjectCtx, run: NewWorkflowRun): Promise<WorkflowRun> {
  const { definition } = await findWorkflowVersion(ctx, run.project_id, run.version_id);
  const isoIn = (secs: number) => new Date(ctx.watch.nowMs() + secs * 1_000).toISOString();
  const never = { started_at: null, deadline: null, paused_at: null, finished_at: null };
  return presentNewWorkflowRun(run, {
    ...never,
    status: "pending",
    phase: null,
    error: null,
    error_count: 0,
    timeout_secs: definition.timeout_secs,
    scheduled_at: run.scheduled_at ?? isoIn(run.delay_secs ?? 0),
    created_at: isoIn(0),
    updated_at: isoIn(0),
  });
}

async function respondWhenEnded(ctx: ProjectCtx, id: string, secs: number, reply: RouteReply): Promise<WorkflowRun> {
  const key = { project_id: ctx.project_id, workflow_run_id: id };
  const { run, hasEnded } = await waitForWorkflowEnd(ctx, key, secs);
  if (!run) throw new ApiError("not_found", "The workflow run was deleted while the request waited for it.");
  reply.status(hasEnded ? 200 : 202);
  return run;
}

/** The requested trigger, without the fields that are not the run's. */
type TriggerInput = Omit<TriggerWorkflow, "project_id" | "dry_run">;

/** Checked as far as possible without the workflow. */
async function readTrigger(ctx: ProjectCtx, input: TriggerInput): Promise<WorkflowTrigger> {
  const { environment_id, idempotency_key, scheduled_at, ...fields } = input;
  if (scheduled_at !== undefined && input.delay_secs !== undefined) {
    throw invalid("body.delay_secs", "cannot be given together with scheduled_at", input.delay_secs);
  }
  return {
    ...fields,
    scheduled_at: scheduled_at === undefined ? null : parseInstant("body.scheduled_at", scheduled_at),
    environment_id: await readRequestedEnvironment(ctx, environment_id, "body"),
    ...createdBy(actorOf(ctx.caller)),
    trigger_type: "api",
    ...(idempotency_key !== undefined && { idempotency_key, body_hash: await hashRequest(input) }),
  };
}
