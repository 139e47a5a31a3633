import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import type { PlanWorkflow } from "@millrace/contract/workflow-versions";

type Overridden = {
  steps: readonly StepInput[];
  /** Positions of the steps with changed dependencies. */
  reordered: ReadonlySet<number>;
  /** Overrides of unknown steps. */
  issues: ProblemError[];
  /** Locates the issues of the steps in the request; those of the stored version are marked as such. */
  locate: (issues: readonly ProblemError[]) => ProblemError[];
};

/**
 * Merges each override into the step of its name. If it changes the type, only the fields common to all types are kept.
 */
export function overrideSteps(stored: readonly StepInput[], requested: PlanWorkflow): Overridden {
  const { steps: given, step_overrides: overrides = [] } = requested;
  const before = given ?? stored;
  const placeOf = new Map(overrides.map(({ step_ref }, place) => [step_ref, place]));
  const overrideOf = ({ step_ref }: StepInput) => overrides[placeOf.get(step_ref) ?? -1];
  return {
    steps: before.map((step) => overrideStep(step, overrideOf(step))),
    reordered: new Set([...before.keys()].filter((place) => overrideOf(before[place] as StepInput)?.depends_on)),
    issues: unknownIssues(before, overrides),
    locate: (issues) => issues.map((issue) => ({ ...issue, location: locationOf(issue.location) })),
  };

  function locationOf(location: string): string {
    const own = given ? location : location.replace(/^body\b/, "version");
    const [, place, field, rest] = /^body\.steps\[(\d+)\](?:\.(\w+))?(.*)$/.exec(location) ?? [];
    const step = before[Number(place)];
    const override = step && overrideOf(step);
    if (!override || field === undefined) return own;
    const isItsOwn = !(field in override) && given && field in step;
    return isItsOwn ? own : `body.step_overrides[${placeOf.get(step.step_ref)}].${field}${rest}`;
  }
}

function unknownIssues(steps: readonly StepInput[], overrides: readonly StepInput[]): ProblemError[] {
  const refs = new Set(steps.map(({ step_ref }) => step_ref));
  return overrides.flatMap(({ step_ref }, place) => {
    if (refs.has(step_ref)) return [];
    const location = `body.step_overrides[${place}].step_ref`;
    return [{ location, message: "is not a step of this workflow", value: step_ref.slice(0, 200) }];
  });
}

function overrideStep(step: StepInput, override: StepInput | undefined): StepInput {
  if (!override) return step;
  const { type = "job" } = step;
  if (override.type === undefined || override.type === type) return { ...step, ...override };
  const { depends_on = [], on_failure = "fail_workflow", condition = null } = step;
  return { depends_on, on_failure, condition, ...override };
}
