import type { StepRun, WorkflowRun, WorkflowRunState } from "../generated/schemas.ts";
import type { ClientCore } from "./create-core.ts";
import type { StreamEvent } from "./http/parse-events.ts";
import { type Limits, withTimeout } from "./limits.ts";
import { type FailedStatus, type RunEnd, RunFailedError } from "./run-end.ts";
import type { CancelOptions } from "./run-handle.ts";

/**
 * How a workflow run ended. `output` has the outputs by step ref; null for steps that were skipped or returned
 * nothing.
 *
 * @example
 * const describe = (end: WorkflowRunEnd<{ total: { cents: number } }>) =>
 *   end.ok ? `${end.output.total?.cents} cents` : end.error.message;
 */
export type WorkflowRunEnd<Outputs = Record<string, unknown>> = RunEnd<{
  [Ref in keyof Outputs]: Outputs[Ref] | null;
}> & {
  run: WorkflowRun;
};

/**
 * A handle to wait for, follow or cancel a workflow run.
 *
 * @example
 * const run: WorkflowRunHandle<{ total: { cents: number } }> = await client.workflows.trigger(order, { id: "o-1" });
 * const { total } = await run.unwrap({ timeout: "5m" });
 */
export type WorkflowRunHandle<Outputs = Record<string, unknown>> = {
  readonly id: string;
  readonly started: WorkflowRun | undefined;
  /** Reads the workflow run as it is now. */
  get: () => Promise<WorkflowRun>;
  /** Reads its steps. */
  steps: () => Promise<StepRun[]>;
  /** Waits until the workflow run ends. The output contains every step's output by its ref. */
  result: (limits?: Limits) => Promise<WorkflowRunEnd<Outputs>>;
  /** Waits until the workflow run ends and returns the outputs by step ref, or throws RunFailedError. */
  unwrap: (limits?: Limits) => Promise<{ [Ref in keyof Outputs]: Outputs[Ref] | null }>;
  /** Emits `status` with the workflow run and its steps at each change. */
  stream: (options?: { signal?: AbortSignal }) => AsyncGenerator<StreamEvent<WorkflowRunState>, void, undefined>;
  /** Cancels the workflow run and its steps. */
  cancel: (options?: CancelOptions) => Promise<WorkflowRun>;
};

export function workflowRunHandle<Outputs>(
  core: ClientCore,
  id: string,
  started?: WorkflowRun,
): WorkflowRunHandle<Outputs> {
  const path = `/v1/workflow-runs/${encodeURIComponent(id)}`;
  const steps = async () => {
    const found: StepRun[] = [];
    for await (const step of core.paginate<StepRun>(`${path}/steps`)) found.push(step);
    return found;
  };
  const result = (limits?: Limits) =>
    withTimeout(limits, `Workflow run ${id} did not end`, async (signal) => {
      await untilEnded(core, path, signal);
      const run = await core.request<WorkflowRun>("GET", path, { signal });
      return endOf<Outputs>(run, await steps());
    });
  return {
    id,
    started,
    steps,
    result,
    get: () => core.request<WorkflowRun>("GET", path),
    unwrap: async (limits) => {
      const end = await result(limits);
      if (end.ok) return end.output;
      throw new RunFailedError(id, end);
    },
    stream: (options) => core.stream<WorkflowRunState>(`${path}/stream`, options),
    cancel: ({ reason, signal } = {}) =>
      core.request("POST", `${path}/cancel`, { body: reason === undefined ? {} : { reason }, signal }),
  };
}

async function untilEnded(core: ClientCore, path: string, signal: AbortSignal | undefined): Promise<void> {
  for await (const { event, data } of core.stream<WorkflowRunState>(`${path}/stream`, { signal })) {
    if (event === "status" && ENDED.has(data.run.status)) return;
  }
}

const ENDED = new Set(["completed", "failed", "timed_out", "canceled"]);

function endOf<Outputs>(run: WorkflowRun, steps: StepRun[]): WorkflowRunEnd<Outputs> {
  if (run.status === "completed") {
    const output = Object.fromEntries(steps.map(({ step_ref, output }) => [step_ref, output ?? null]));
    return { ok: true, status: "completed", output: output as { [Ref in keyof Outputs]: Outputs[Ref] | null }, run };
  }
  const error = run.error ?? { code: run.status, message: `The workflow run is ${run.status}.` };
  return { ok: false, status: run.status as FailedStatus, error, run };
}
