import { SLUG } from "../define-job.ts";
import { MillraceError } from "../errors.ts";
import type { StepInput } from "../generated/schemas.ts";
import type { InputOf, StandardSchema } from "../standard-schema.ts";
import type { WorkflowBuilder } from "./builder-types.ts";
import { type AnyStepOptions, printStep } from "./print-steps.ts";
import { printMermaid, printWorkflow } from "./print-workflow.ts";
import type { AnyWorkflow, WorkflowSettings } from "./workflow-types.ts";

/**
 * Starts a workflow definition without steps. Each builder call adds one.
 *
 * @example
 * export const signup = defineWorkflow("signup", { schema: z.object({ to: z.string() }) })
 *   .job("welcome", sendMail, { payload: ({ payload }) => ({ to: payload.to }) })
 *   .sleep("week", "168h", { after: ["welcome"] })
 *   .job("remind", sendMail, { after: ["week"], payload: ({ payload }) => ({ to: payload.to }) });
 */
export function defineWorkflow<S extends StandardSchema<unknown, unknown>>(
  id: string,
  definition?: WorkflowSettings & { schema?: S | undefined },
): WorkflowBuilder<InputOf<S>, Record<never, never>> {
  if (!SLUG.test(id)) {
    throw new MillraceError(
      "bad_id",
      `Invalid id ${id}: use lower-case letters, digits and single hyphens, at most 63 characters`,
    );
  }
  const { schema, ...settings } = definition ?? {};
  return grow({ id, settings, schema }, []) as WorkflowBuilder<InputOf<S>, Record<never, never>>;
}

type Head = Pick<AnyWorkflow, "id" | "settings" | "schema">;
type Named = { id: string };

function grow(head: Head, steps: readonly StepInput[]) {
  const workflow = { kind: "workflow" as const, ...head, steps };
  const add = (step: StepInput, options?: AnyStepOptions) => {
    refuseTaken(steps, step.step_ref);
    return grow(head, [...steps, printStep(step, options)]);
  };
  return {
    ...workflow,
    toJSON: () => printWorkflow(workflow),
    toMermaid: () => printMermaid(workflow),
    job: (step_ref: string, job: Named, options?: AnyStepOptions) => add({ step_ref, job_id: job.id }, options),
    waitForEvent: (step_ref: string, options: AnyStepOptions) => add({ step_ref, type: "wait_for_event" }, options),
    sleep: (step_ref: string, sleep_duration: string, options?: AnyStepOptions) =>
      add({ step_ref, type: "sleep", sleep_duration }, options),
    approval: (step_ref: string, options?: AnyStepOptions) => add({ step_ref, type: "approval" }, options),
    map: (step_ref: string, job: Named, options: AnyStepOptions) =>
      add({ step_ref, type: "map", job_id: job.id }, options),
    mapWorkflow: (step_ref: string, child: Named, options: AnyStepOptions) =>
      add({ step_ref, type: "map", workflow_id: child.id }, options),
    subWorkflow: (step_ref: string, child: Named, options?: AnyStepOptions) =>
      add({ step_ref, type: "sub_workflow", workflow_id: child.id }, options),
  };
}

/** For JavaScript users; in TypeScript the compiler rejects it. */
function refuseTaken(steps: readonly StepInput[], ref: string): void {
  if (!steps.some(({ step_ref }) => step_ref === ref)) return;
  throw new MillraceError("duplicate_ref", `The workflow already has a step ${ref}.`);
}
