import { type Call, callOf } from "./call.ts";
import { type CancelWhereFn, cancelWhereOf } from "./cancel-where.ts";
import type { ClientOptions } from "./connection.ts";
import { type ClientCore, createCore } from "./create-core.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";
import { type SendEventFn, sendEventOf } from "./send-event.ts";
import { type TriggerBatchFn, triggerBatchOf } from "./trigger-batch.ts";
import { type TriggerJobFn, triggerJobOf } from "./trigger-job.ts";
import { type TriggerWorkflowFn, triggerWorkflowOf } from "./trigger-workflow.ts";
import { type Nouns, nounsOf } from "./verbs.ts";
import { type WorkflowRunHandle, workflowRunHandle } from "./workflow-run-handle.ts";

/** Every endpoint by noun and verb, plus typed triggers and events for your definitions. */
export type Client = ClientCore &
  Omit<Nouns, "jobs" | "workflows" | "events" | "runs" | "workflowRuns"> & {
    /** Calls any endpoint by its method and path, fully typed. */
    call: Call;
    jobs: Omit<Nouns["jobs"], "trigger"> & { trigger: TriggerJobFn; triggerBatch: TriggerBatchFn };
    workflows: Omit<Nouns["workflows"], "trigger"> & { trigger: TriggerWorkflowFn };
    events: Omit<Nouns["events"], "send"> & { send: SendEventFn };
    runs: Nouns["runs"] & { handle: <Output = unknown>(id: string) => RunHandle<Output>; cancelWhere: CancelWhereFn };
    workflowRuns: Nouns["workflowRuns"] & {
      handle: <Outputs = Record<string, unknown>>(id: string) => WorkflowRunHandle<Outputs>;
    };
  };

/** Creates a client. Without options it reads MILLRACE_BASE_URL, MILLRACE_API_KEY and MILLRACE_PROJECT_ID. */
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
