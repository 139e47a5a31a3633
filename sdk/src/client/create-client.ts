import { type Call, callOf } from "./call.ts";
import { cancelWhereOf } from "./cancel-where.ts";
import { type ClientCore, createCore } from "./create-core.ts";
import type { ClientOptions } from "./http/connection.ts";
import type { EventsClient, JobsClient, RunsClient, WorkflowRunsClient, WorkflowsClient } from "./noun-clients.ts";
import { runHandle } from "./run-handle.ts";
import { sendEventOf } from "./send-event.ts";
import { triggerBatchOf } from "./trigger-batch.ts";
import { triggerJobOf } from "./trigger-job.ts";
import { triggerWorkflowOf } from "./trigger-workflow.ts";
import { type Nouns, nounsOf } from "./verbs.ts";
import { workflowRunHandle } from "./workflow-run-handle.ts";

/**
 * Every endpoint by noun and verb, plus typed triggers and events for your definitions.
 *
 * @example
 * async function retryFailed(client: Client) {
 *   for await (const run of client.runs.list({ status: "failed" })) await client.runs.replay(run.id);
 * }
 */
export type Client = ClientCore &
  Omit<Nouns, "jobs" | "workflows" | "events" | "runs" | "workflowRuns"> & {
    /** Calls any endpoint by its method and path, fully typed. */
    call: Call;
    jobs: JobsClient;
    workflows: WorkflowsClient;
    events: EventsClient;
    runs: RunsClient;
    workflowRuns: WorkflowRunsClient;
  };

/**
 * Creates a client. Without options it reads MILLRACE_BASE_URL, MILLRACE_API_KEY and MILLRACE_PROJECT_ID.
 *
 * @example
 * const client = createClient({ baseUrl: "https://jobs.example.com", apiKey: process.env.MILLRACE_API_KEY ?? "" });
 * const run = await client.jobs.trigger(sendMail, { to: "ann@example.com" });
 */
export function createClient(options: ClientOptions = {}): Client {
  const core = createCore(options);
  const nouns = nounsOf(core);
  return {
    ...core,
    ...nouns,
    call: callOf(core),
    jobs: { ...nouns.jobs, trigger: triggerJobOf(core), triggerBatch: triggerBatchOf(core) },
    workflows: { ...nouns.workflows, trigger: triggerWorkflowOf(core) },
    events: { ...nouns.events, send: sendEventOf(core) },
    runs: { ...nouns.runs, handle: (id) => runHandle(core, id), cancelWhere: cancelWhereOf(core) },
    workflowRuns: { ...nouns.workflowRuns, handle: (id) => workflowRunHandle(core, id) },
  };
}
