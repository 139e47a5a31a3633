import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import type { TriggerWorkflow } from "@millrace/contract/workflows/workflows";
import { readBudget, roomIn } from "../../../flow/budget/lock-budgets.ts";
import { budgetIsSpent } from "../../../flow/budget/reserve-budget.ts";
import { findRepeated } from "../../../flow/runs/create/claim-idempotency-keys.ts";
import { readTags } from "../../../flow/runs/create/merge-tags.ts";
import { openTriggerQueue } from "../../../flow/trigger-queue.ts";
import { redactRuns } from "../../../flow/workflows/operate/redact-denied.ts";
import type { NewWorkflowRun } from "../../../flow/workflows/start/new-workflow-run.ts";
import { prepareWorkflowRun, type WorkflowTrigger } from "../../../flow/workflows/start/prepare-workflow-run.ts";
import {
  presentNewWorkflowRun,
  type TriggeredWorkflow,
  triggerWorkflowRuns,
} from "../../../flow/workflows/start/start-workflow-runs.ts";
import {
  findCachedWorkflow,
  findTriggerableWorkflow,
  type TriggerableWorkflow,
} from "../../../flow/workflows/start/triggerable-workflow.ts";
import { waitForWorkflowEnd } from "../../../flow/workflows/start/wait-for-workflow-end.ts";
import { findWorkflowVersion } from "../../../flow/workflows/start/workflow-version.ts";
import { readWorkflowRun } from "../../../flow/workflows/workflow-run-columns.ts";
import { refuseOtherEnvironment } from "../../../platform/access/policies/refuse-retagging.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { perService } from "../../../platform/service-state.ts";
import { withHeaderKey } from "../../../platform/triggers/idempotency-key.ts";
import {
  answerTrigger,
  findStartable,
  idempotencyConflict,
  readCommonFields,
  submitTrigger,
  type TriggerOutcome,
  type TriggerTarget,
} from "../../../platform/triggers/submit-trigger.ts";
import { refuseOverridingTrigger } from "../validate/refuse-overriding-steps.ts";

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
  const [shown] = await redactRuns(ctx, [await trigger(ctx, ref, request, reply)]);
  if (!shown) throw new Error("the workflow run is missing from the redacted list");
  return shown;
}

async function trigger(ctx: ProjectCtx, ref: string, request: TriggerRequest, reply: RouteReply): Promise<WorkflowRun> {
  const { wait_secs, header_key, dry_run, project_id: _, ...item } = request;
  const read = await readTrigger(ctx, withHeaderKey(item, header_key));
  const outcome = dry_run ? await previewOutcome(ctx, ref, read) : await submit(ctx, ref, read);
  const { project_id } = ctx;
  return answerTrigger(
    outcome,
    {
      name: "workflow run",
      read: (id) => readWorkflowRun(ctx, project_id, id),
      waitForEnd: (id, secs) => waitForWorkflowEnd(ctx, { project_id, workflow_run_id: id }, secs),
    },
    wait_secs,
    reply,
  );
}

async function submit(ctx: ProjectCtx, ref: string, trigger: WorkflowTrigger): Promise<TriggerOutcome<WorkflowRun>> {
  const result = await submitTrigger(ctx, WORKFLOW_TARGET, ref, trigger);
  if (result.kind === "existing") return { kind: "existing", id: result.workflow_run_id };
  return { kind: "created", id: result.run.id, present: () => result.run };
}

/** The result or error that `submit` would have now. Read-only. */
async function previewOutcome(
  ctx: ProjectCtx,
  ref: string,
  trigger: WorkflowTrigger,
): Promise<TriggerOutcome<WorkflowRun>> {
  const workflow = await findStartable(ctx, WORKFLOW_TARGET, ref, trigger.environment_id);
  const run = await WORKFLOW_TARGET.prepare(ctx, workflow, trigger);
  const repeated = await findRepeated(ctx, run);
  if (repeated?.kind === "conflict") throw idempotencyConflict();
  if (repeated) return { kind: "existing", id: repeated.run_id };
  await refuseWhenSpent(ctx);
  return { kind: "preview", present: () => presentPreview(ctx, run) };
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

/** The requested trigger, without the fields that are not the run's. */
type TriggerInput = Omit<TriggerWorkflow, "project_id" | "dry_run">;

/** Checked as far as possible without the workflow. */
async function readTrigger(ctx: ProjectCtx, input: TriggerInput): Promise<WorkflowTrigger> {
  const { environment_id: _environment, scheduled_at: _scheduled, ...fields } = input;
  return { ...fields, ...(await readCommonFields(ctx, input, "body")) };
}

const MAX_BATCH = 200; // each includes its steps

/** Concurrent triggers share commits; each returns after its own. */
const queueOf = perService((ctx: Ctx) =>
  openTriggerQueue<NewWorkflowRun, TriggeredWorkflow>({
    create: (runs) => triggerWorkflowRuns(ctx, runs),
    max_batch: MAX_BATCH,
    max_waiting: ctx.config.max_waiting_triggers,
  }),
);

/** So many triggers wait for the commit of those before them that another would wait for long. */
export function isWorkflowTriggerQueueFull(ctx: Ctx, project_id?: string): boolean {
  return queueOf(ctx).isFullFor(project_id);
}

/** A workflow as the target of a trigger. */
const WORKFLOW_TARGET: TriggerTarget<TriggerableWorkflow, WorkflowTrigger, NewWorkflowRun, TriggeredWorkflow> = {
  type: "workflow",
  findCached: findCachedWorkflow,
  findCurrent: findTriggerableWorkflow,
  prepare: prepareFor,
  create: (ctx, run) => queueOf(ctx).add(run),
  refuse: refuseWhenSpent,
};

/** A spent budget is the other reason why a run was not created. */
async function refuseWhenSpent(ctx: ProjectCtx): Promise<void> {
  const budget = await readBudget(ctx, ctx.project_id);
  if ((roomIn(budget) ?? 1) <= 0) throw budgetIsSpent(budget);
}

async function prepareFor(
  ctx: ProjectCtx,
  workflow: TriggerableWorkflow,
  trigger: WorkflowTrigger,
): Promise<NewWorkflowRun> {
  const run = await prepareWorkflowRun(ctx, workflow, trigger);
  if (trigger.tags) await refuseOverridingTrigger(ctx, run, readTags(trigger.tags));
  await refuseOtherEnvironment(ctx, ["workflows:read", "runs:read"], workflow.environment_id, run.environment_id);
  return run;
}
