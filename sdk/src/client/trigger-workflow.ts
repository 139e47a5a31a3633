import { type Duration, durationSecs } from "../duration.ts";
import type { TriggerWorkflow, WorkflowRun } from "../generated/schemas.ts";
import { checkWith } from "../standard-schema.ts";
import type { AnyWorkflow, WorkflowInput, WorkflowOutputs } from "../workflow/workflow-types.ts";
import type { ClientCore } from "./create-core.ts";
import type { PayloadThen } from "./trigger-job.ts";
import { type WorkflowRunHandle, workflowRunHandle } from "./workflow-run-handle.ts";

export type TriggerWorkflowOptions = {
  /** The same key within 24 hours answers the run that exists. Made anew for each call unless said. */
  idempotencyKey?: string | undefined;
  /** Runs that share it take the same version. */
  routingKey?: string | undefined;
  /** Number or id, in place of the current one. */
  version?: number | string | undefined;
  tags?: Record<string, string> | string[] | undefined;
  metadata?: Record<string, unknown> | undefined;
  delay?: Duration | undefined;
  scheduledAt?: Date | string | undefined;
  environment?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type TriggerWorkflowFn = <W extends AnyWorkflow>(
  workflow: W | string,
  ...args: PayloadThen<WorkflowInput<W>, TriggerWorkflowOptions>
) => Promise<WorkflowRunHandle<WorkflowOutputs<W>>>;

/** Starts a workflow run, by its definition or its slug. Safe to repeat: every call carries a key. */
export function triggerWorkflowOf(core: ClientCore): TriggerWorkflowFn {
  return (async (workflow: AnyWorkflow | string, payload: unknown, options: TriggerWorkflowOptions = {}) => {
    const slug = typeof workflow === "string" ? workflow : workflow.id;
    if (typeof workflow !== "string" && workflow.input) await checkWith(workflow.input, payload, "payload");
    const run = await core.request<WorkflowRun>("POST", `/v1/workflows/${encodeURIComponent(slug)}/trigger`, {
      body: bodyOf(payload, options),
      idempotencyKey: options.idempotencyKey ?? crypto.randomUUID(),
      signal: options.signal,
    });
    return workflowRunHandle(core, run.id, run);
  }) as TriggerWorkflowFn;
}

function bodyOf(payload: unknown, options: TriggerWorkflowOptions): TriggerWorkflow {
  return {
    ...(payload !== undefined && { payload }),
    routing_key: options.routingKey,
    version: options.version,
    tags: options.tags,
    metadata: options.metadata,
    delay_secs: options.delay && durationSecs(options.delay),
    scheduled_at: options.scheduledAt instanceof Date ? options.scheduledAt.toISOString() : options.scheduledAt,
    environment_id: options.environment,
  };
}
