import type { Client } from "../client/create-client.ts";
import type { RunEnd } from "../client/run-end.ts";
import type { PayloadArgs } from "../client/trigger-job.ts";
import type { WorkflowRunEnd } from "../client/workflow-run-handle.ts";
import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import type { StepRun } from "../generated/schemas.ts";
import type { AnyWorkflow, WorkflowInput, WorkflowOutputs } from "../workflow/workflow-types.ts";
import type { Endpoint } from "./test-endpoint.ts";

/**
 * Serves a job or a workflow, starts it and waits until it ends. The result of a workflow has its `steps` by ref.
 *
 * @example
 * const send = async (run: RunFn) => (await run(sendMail, { to: "ann@example.com" })).ok;
 */
export type RunFn = {
  <J extends AnyJob>(job: J, ...payload: PayloadArgs<JobInput<J>>): Promise<RunEnd<JobOutput<J>> & { id: string }>;
  /** `steps` by their ref. */
  <W extends AnyWorkflow>(
    workflow: W,
    ...payload: PayloadArgs<WorkflowInput<W>>
  ): Promise<WorkflowRunEnd<WorkflowOutputs<W>> & { id: string; steps: Record<keyof WorkflowOutputs<W>, StepRun> }>;
};

export function runOf(client: Client, endpoint: Pick<Endpoint, "serve">): RunFn {
  return (async (definition: AnyJob | AnyWorkflow, payload: never) => {
    await endpoint.serve([definition]);
    if (definition.kind === "job") {
      const run = await client.jobs.trigger(definition, payload);
      return { ...(await run.result()), id: run.id };
    }
    const run = await client.workflows.trigger(definition, payload);
    const end = await run.result();
    const steps = Object.fromEntries((await run.steps()).map((step) => [step.step_ref, step]));
    return { ...end, id: run.id, steps };
  }) as RunFn;
}
