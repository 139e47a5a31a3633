import type { ProblemError } from "@millrace/contract/schema/problem";
import type { WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import { criticalPath } from "../../../flow/workflows/plan/critical-path.ts";
import type { StepDefinition, WorkflowDefinition } from "../../../flow/workflows/plan/definition.ts";
import { indexGraph } from "../../../flow/workflows/plan/graph-index.ts";
import { stepWaves } from "../../../flow/workflows/plan/step-waves.ts";

type PlanInput = {
  steps: StepDefinition[];
  max_parallel_steps: number | null;
  issues: ProblemError[];
  violations: ProblemError[];
  estimates: ReadonlyMap<string, number>;
};

type Plan = Omit<WorkflowPlan, "$schema" | "workflow_id" | "version_id" | "version" | "is_overridden">;

const MAX_REPORTED = 100;

/** Pure, for `inSlices`. Steps with issues are planned as far as possible: those in or after a cycle are in no wave. */
export function* presentPlan({
  steps,
  max_parallel_steps,
  issues,
  violations,
  estimates,
}: PlanInput): Generator<void, Plan> {
  const waves = stepWaves(steps);
  yield;
  const waveOf = new Map(waves.flatMap((wave, i) => wave.map((ref) => [ref, i + 1] as const)));
  const estimateOf = (ref: string) => estimates.get(ref) ?? null;
  const definition: WorkflowDefinition = { steps, timeout_secs: null, max_parallel_steps };
  const isComplete = issues.length === 0;
  const order = isComplete ? indexGraph(definition).order.map(({ step }) => step.step_ref) : waves.flat();
  yield;
  const critical_path = isComplete ? pathOf(definition, estimateOf) : null;
  yield;
  return {
    is_valid: isComplete && violations.length === 0,
    step_count: steps.length,
    order,
    waves,
    steps: steps.map(({ step_ref, type, depends_on }) => ({
      step_ref,
      type,
      depends_on,
      wave: waveOf.get(step_ref) ?? null,
      estimate_ms: estimateOf(step_ref),
    })),
    critical_path,
    policy_violations: violations.slice(0, MAX_REPORTED),
    issues: issues.slice(0, MAX_REPORTED),
  };
}

/** The path of a run in which no step has started. */
function pathOf(definition: WorkflowDefinition, estimateOf: (ref: string) => number | null): Plan["critical_path"] {
  const timed = definition.steps.map(({ step_ref }) => {
    const step = { status: "pending", duration_ms: null, estimate_ms: estimateOf(step_ref) } as const;
    return [step_ref, step] as const;
  });
  const { step_refs, estimate_ms, unestimated } = criticalPath(definition, new Map(timed), false);
  return { step_refs, estimate_ms, unestimated };
}
