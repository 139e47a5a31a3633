import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import type { Definition } from "./draft.ts";

export type StepType = NonNullable<StepInput["type"]>;

const FIRST: Record<StepType, Partial<StepInput>> = {
  job: { job_id: "" },
  wait_for_event: { event_key: "order.{{payload.order.id}}.paid", timeout_secs: 3_600 },
  sleep: { sleep_duration: "10m" },
  approval: { message: "Approve?", timeout_secs: 86_400 },
  map: { items: "{{payload.items}}", job_id: "" },
  sub_workflow: { workflow_id: "" },
};
/** Fields that every type has; the others are dropped when the type changes. */
const COMMON = ["step_ref", "type", "depends_on", "on_failure", "condition"];

/** Adds a step after the given one, or at the end. Returns its name too. */
export function addStep(definition: Definition, type: StepType, after: string | undefined, jobSlug: string) {
  const taken = new Set(definition.steps.map(({ step_ref }) => step_ref));
  let nth = definition.steps.length + 1;
  while (taken.has(`step-${nth}`)) nth += 1;
  const step_ref = `step-${nth}`;
  const first = FIRST[type];
  const step: StepInput = {
    step_ref,
    type,
    ...first,
    ...("job_id" in first && { job_id: jobSlug }),
    ...(after !== undefined && { depends_on: [after] }),
  };
  return { step_ref, definition: { ...definition, steps: [...definition.steps, step] } };
}

/** Removes a step; its dependents then depend on its dependencies. */
export function removeStep(definition: Definition, ref: string): Definition {
  const removed = definition.steps.find(({ step_ref }) => step_ref === ref);
  const steps = definition.steps
    .filter(({ step_ref }) => step_ref !== ref)
    .map((step) =>
      step.depends_on?.includes(ref)
        ? withField(step, "depends_on", [
            ...new Set([...step.depends_on.filter((each) => each !== ref), ...(removed?.depends_on ?? [])]),
          ])
        : step,
    );
  return { ...definition, steps };
}

/** Replaces a step, and renames it in the steps that depend on it. */
export function replaceStep(definition: Definition, ref: string, next: StepInput): Definition {
  const steps = definition.steps.map((step) => {
    if (step.step_ref === ref) return next;
    if (next.step_ref === ref || !step.depends_on?.includes(ref)) return step;
    return { ...step, depends_on: step.depends_on.map((each) => (each === ref ? next.step_ref : each)) };
  });
  return { ...definition, steps };
}

/** Undefined, an empty text and an empty list remove the field. */
export function withField<F extends keyof StepInput>(step: StepInput, field: F, value: StepInput[F]): StepInput {
  const { [field]: _, ...others } = step;
  const isEmpty = value === undefined || value === "" || value === null || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return others as StepInput;
  return { ...step, [field]: value };
}

export function withType(step: StepInput, type: StepType, jobSlug: string): StepInput {
  const kept = Object.fromEntries(Object.entries(step).filter(([name]) => COMMON.includes(name)));
  const first = FIRST[type];
  return { ...(kept as StepInput), type, ...first, ...("job_id" in first && { job_id: jobSlug }) };
}

/** The steps that may come before a step: neither itself nor one that depends on it. */
export function possibleParents(steps: readonly StepInput[], ref: string): string[] {
  const below = new Set([ref]);
  for (let isMore = true; isMore; ) {
    const found = steps.filter(
      ({ step_ref, depends_on }) => !below.has(step_ref) && depends_on?.some((each) => below.has(each)),
    );
    for (const { step_ref } of found) below.add(step_ref);
    isMore = found.length > 0;
  }
  return steps.map(({ step_ref }) => step_ref).filter((each) => !below.has(each));
}
