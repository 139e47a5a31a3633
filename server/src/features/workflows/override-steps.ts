import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";

type Overridden = { steps: readonly StepInput[]; faults: ProblemError[] };

/** Lays each override over the step of its name. One that changes the type keeps only what all types have. */
export function overrideSteps(steps: readonly StepInput[], overrides: readonly StepInput[]): Overridden {
  const byRef = new Map(overrides.map((override) => [override.step_ref, override]));
  const refs = new Set(steps.map(({ step_ref }) => step_ref));
  const faults = overrides.flatMap(({ step_ref }, place) => {
    if (refs.has(step_ref)) return [];
    const location = `body.step_overrides[${place}].step_ref`;
    return [{ location, message: "is not a step of this workflow", value: step_ref.slice(0, 200) }];
  });
  if (overrides.length === 0) return { steps, faults };
  return { steps: steps.map((step) => overrideStep(step, byRef.get(step.step_ref))), faults };
}

function overrideStep(step: StepInput, override: StepInput | undefined): StepInput {
  if (!override) return step;
  const { type = "job" } = step;
  if (override.type === undefined || override.type === type) return { ...step, ...override };
  const { depends_on = [], on_failure = "fail_workflow", condition = null } = step;
  return { depends_on, on_failure, condition, ...override };
}
