import { groupBy } from "../../../src/platform/group-by.ts";
import type { Decision, History, Step, WorkflowRun } from "../history.ts";

/** `condition`: it was false, unless a start follows. */
const SATISFIED = new Set(["complete", "event", "approve", "skip", "condition"]);
const FAILED = new Set(["fail", "reject"]);

/** I7: from the decisions, which are numbered under the workflow run's lock; and one run for each generation. */
export function stepsStartOnce(history: History): string[] {
  const decisions = groupBy(
    history.decisions.toSorted((a, b) => a.ordinal - b.ordinal),
    ({ workflow_run_id }) => workflow_run_id,
  );
  const early = history.workflow_runs.flatMap((run) => earlyStarts(run, decisions.get(run.id) ?? []));
  const ofSteps = history.runs.filter(({ workflow_run_id }) => workflow_run_id !== null);
  const twice = [
    ...groupBy(ofSteps, (run) => `${run.step_ref} of ${run.workflow_run_id}, generation ${run.step_generation}`),
  ]
    .filter(([, runs]) => runs.length > 1)
    .map(([step, runs]) => `${step} has ${runs.length} runs: ${runs.map(({ id }) => id).join(", ")}`);
  return [...early, ...twice];
}

function earlyStarts({ id, definition }: WorkflowRun, log: readonly Decision[]): string[] {
  const steps = new Map(definition.map((step) => [step.step_ref, step]));
  /** How each step ended in its current generation. */
  const ended = new Map<string, string>();
  const started = new Set<string>();
  const violations: string[] = [];
  const isSatisfied = (ref: string) => {
    const end = ended.get(ref) ?? "";
    return SATISFIED.has(end) || (FAILED.has(end) && steps.get(ref)?.on_failure === "continue");
  };
  for (const { decision_type, step_ref, ordinal } of log) {
    if (step_ref === null) continue;
    if (decision_type === "retry") {
      ended.delete(step_ref);
      started.delete(step_ref);
    } else if (decision_type === "start" || decision_type === "wait") {
      ended.delete(step_ref); // its condition is true
      if (started.has(step_ref)) violations.push(`${step_ref} of ${id} started again by decision ${ordinal}`);
      started.add(step_ref);
      const open = (steps.get(step_ref)?.depends_on ?? []).filter((ref) => !isSatisfied(ref));
      if (open.length > 0) violations.push(`${step_ref} of ${id} started before ${open.join(", ")}`);
    } else if (SATISFIED.has(decision_type) || FAILED.has(decision_type)) ended.set(step_ref, decision_type);
  }
  return violations;
}

/** I8, where every step has ended and none was reset. */
export function failuresFollow(history: History): string[] {
  const steps = groupBy(history.steps, ({ workflow_run_id }) => workflow_run_id);
  return history.workflow_runs.flatMap((run) => {
    const own = steps.get(run.id) ?? [];
    return own.every(({ generation }) => generation === 1) ? wrongEnds(run, own) : [];
  });
}

function wrongEnds({ id, status, error_count, definition }: WorkflowRun, steps: readonly Step[]): string[] {
  const byRef = new Map(steps.map((step) => [step.step_ref, step]));
  const policyOf = new Map(definition.map(({ step_ref, on_failure }) => [step_ref, on_failure ?? "fail_workflow"]));
  const failed = steps.filter((step) => step.status === "failed");
  const violations: string[] = [];
  const breaks = failed.filter(({ step_ref }) => policyOf.get(step_ref) === "fail_workflow");
  if (breaks.length > 0 && status === "completed")
    violations.push(`${id} completed, although ${breaks[0]?.step_ref} failed`);
  if (status === "completed" && error_count !== failed.length)
    violations.push(`${id} counts ${error_count} errors, but ${failed.length} steps failed`);
  for (const { step_ref, depends_on = [] } of definition) {
    const own = byRef.get(step_ref);
    const isCut = depends_on.some((ref) => isPassedOn(byRef.get(ref), policyOf.get(ref)));
    if (own?.status === "completed" && isCut)
      violations.push(`${step_ref} of ${id} ran, although a step before it failed under skip_dependents`);
    if (own?.status === "skipped" && isForDependency(own) && !isCut)
      violations.push(`${step_ref} of ${id} was skipped, although no step before it failed`);
  }
  return violations;
}

/** Whether its dependents are skipped. */
function isPassedOn(step: Step | undefined, policy: string | undefined): boolean {
  if (step?.status === "failed") return policy === "skip_dependents";
  return step?.status === "skipped" && isForDependency(step);
}

function isForDependency({ cause }: Step): boolean {
  return cause === "dependency";
}
