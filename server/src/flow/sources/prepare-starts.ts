import type { Ctx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { yieldToEventLoop } from "../../platform/time-slices.ts";
import type { NewRun } from "../runs/create/new-run.ts";
import { prepareRunInSlices } from "../runs/create/prepare-run.ts";
import { findTriggerableJobs, type TriggerableJob } from "../runs/create/triggerable-job.ts";
import type { NewWorkflowRun } from "../workflows/start/new-workflow-run.ts";
import { prepareWorkflowRun } from "../workflows/start/prepare-workflow-run.ts";
import { findTriggerableWorkflows, type TriggerableWorkflow } from "../workflows/start/triggerable-workflow.ts";
import type { Match } from "./match-subscriptions.ts";

/** A subscription with the run to start, or the reason why it starts nothing. */
export type Start = { match: Match } & (
  | { kind: "run"; run: NewRun }
  | { kind: "workflow_run"; run: NewWorkflowRun }
  | { kind: "nothing" }
  | { kind: "refused"; error: { code: string; message: string } }
);

type Matched = Extract<Match, { kind: "matched" }>;
type Targets = { jobs: Map<string, TriggerableJob>; workflows: Map<string, TriggerableWorkflow> };

/** What all runs of one event record as their cause. */
export type Cause = { trigger_type: "event" | "webhook"; created_by: string; metadata: Record<string, unknown> };

/**
 * Prepares a run for each subscription that matches the event, from the current jobs and workflows. A bad one fails
 * alone.
 */
export async function prepareStarts(
  ctx: Ctx,
  project_id: string,
  matches: readonly Match[],
  cause: Cause,
): Promise<Start[]> {
  const matched = matches.filter((match) => match.kind === "matched");
  const idsOf = (field: "job_id" | "workflow_id") => [
    ...new Set(matched.flatMap(({ subscription }) => subscription[field] ?? [])),
  ];
  const [jobs, workflows] = await Promise.all([
    findTriggerableJobs(ctx, project_id, idsOf("job_id")),
    findTriggerableWorkflows(ctx, project_id, idsOf("workflow_id")),
  ]);
  const starts: Start[] = [];
  for (const match of matches) {
    starts.push(await prepareOne(ctx, match, { jobs, workflows }, cause));
    await yieldToEventLoop();
  }
  return starts;
}

async function prepareOne(ctx: Ctx, match: Match, targets: Targets, cause: Cause): Promise<Start> {
  if (match.kind !== "matched") return { match, kind: "nothing" };
  try {
    return await prepareMatched(ctx, match, targets, cause);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { match, kind: "refused", error: { code: error.code, message: error.message } };
  }
}

async function prepareMatched(ctx: Ctx, match: Matched, { jobs, workflows }: Targets, cause: Cause): Promise<Start> {
  const { subscription, payload, concurrency_key } = match;
  const { job_id, workflow_id, environment_id } = subscription;
  if (workflow_id !== null) {
    const workflow = workflows.get(workflow_id);
    if (!workflow) throw new ApiError("not_found", "The workflow no longer exists.");
    const run = await prepareWorkflowRun(ctx, workflow, { ...cause, payload, environment_id });
    // Created pending, not under a lease of this instance: a rollback then has only rows to undo.
    return { match, kind: "workflow_run", run: { ...run, is_limited: true } };
  }
  const job = jobs.get(job_id ?? "");
  if (!job) throw new ApiError("not_found", "The job no longer exists.");
  const run = await prepareRunInSlices(job, { ...cause, payload, concurrency_key, environment_id });
  return { match, kind: "run", run };
}
