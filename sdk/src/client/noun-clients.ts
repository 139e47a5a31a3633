import type { CancelWhereFn } from "./cancel-where.ts";
import type { RunHandle } from "./run-handle.ts";
import type { SendEventFn } from "./send-event.ts";
import type { TriggerBatchFn } from "./trigger-batch.ts";
import type { TriggerJobFn } from "./trigger-job.ts";
import type { TriggerWorkflowFn } from "./trigger-workflow.ts";
import type { Nouns } from "./verbs.ts";
import type { WorkflowRunHandle } from "./workflow-run-handle.ts";

// Interfaces, so that editors show a name instead of every endpoint.

/**
 * `client.jobs`.
 *
 * @example
 * const jobs: JobsClient = client.jobs;
 * await jobs.trigger(sendMail, { to: "ann@example.com" });
 */
export interface JobsClient extends Omit<Nouns["jobs"], "trigger"> {
  trigger: TriggerJobFn;
  triggerBatch: TriggerBatchFn;
}

/**
 * `client.workflows`.
 *
 * @example
 * const workflows: WorkflowsClient = client.workflows;
 * await workflows.trigger(order, { id: "o-1" });
 */
export interface WorkflowsClient extends Omit<Nouns["workflows"], "trigger"> {
  trigger: TriggerWorkflowFn;
}

/**
 * `client.events`.
 *
 * @example
 * const events: EventsClient = client.events;
 * await events.send(approved({ id: "o-1" }), { by: "ann" });
 */
export interface EventsClient extends Omit<Nouns["events"], "send"> {
  send: SendEventFn;
}

/**
 * `client.runs`.
 *
 * @example
 * const runs: RunsClient = client.runs;
 * const { status } = await runs.handle("0198c7a2-…").get();
 */
export interface RunsClient extends RunsNoun {
  handle: <Output = unknown>(id: string) => RunHandle<Output>;
  cancelWhere: CancelWhereFn;
}
type RunsNoun = Nouns["runs"];

/**
 * `client.workflowRuns`.
 *
 * @example
 * const workflowRuns: WorkflowRunsClient = client.workflowRuns;
 * const end = await workflowRuns.handle("0198c7a2-…").result({ timeout: "1m" });
 */
export interface WorkflowRunsClient extends WorkflowRunsNoun {
  handle: <Outputs = Record<string, unknown>>(id: string) => WorkflowRunHandle<Outputs>;
}
type WorkflowRunsNoun = Nouns["workflowRuns"];
