import { type Duration, durationSecs } from "../duration.ts";
import type { TriggerWorkflow, WorkflowRun } from "../generated/schemas.ts";
import { checkWith } from "../standard-schema.ts";
import type { AnyWorkflow, WorkflowInput, WorkflowOutputs } from "../workflow/workflow-types.ts";
import type { ClientCore } from "./create-core.ts";
import type { PayloadArgs } from "./trigger-job.ts";
import { type WorkflowRunHandle, workflowRunHandle } from "./workflow-run-handle.ts";

/**
 * Options of `client.workflows.trigger`.
 *
 * @example
 * const options: TriggerWorkflowOptions = { idempotencyKey: "order-1", metadata: { source: "shop" } };
 * await client.workflows.trigger(order, { id: "o-1" }, options);
 */
export type TriggerWorkflowOptions = {
  /** Repeating the key within 24 hours returns the existing run. Default: a new key per call. */
  idempotencyKey?: string | undefined;
  /** Runs with the same routing key use the same version. */
  routingKey?: string | undefined;
  /** Number or id of a version to use instead of the current one. */
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
  ...args: [...PayloadArgs<WorkflowInput<W>>, options?: TriggerWorkflowOptions]
) => Promise<WorkflowRunHandle<WorkflowOutputs<W>>>;

/** Starts a workflow run, by definition or slug. Safe to retry, since every call has an idempotency key. */
export function triggerWorkflowOf(core: ClientCore): TriggerWorkflowFn {
  return (async (workflow: AnyWorkflow | string, payload: unknown, options: TriggerWorkflowOptions = {}) => {
    const slug = typeof workflow === "string" ? workflow : workflow.id;
    if (typeof workflow !== "string" && workflow.schema) await checkWith(workflow.schema, payload, "payload");
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
