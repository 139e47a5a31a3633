import type { ProblemError } from "@millrace/contract/schema/problem";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { StepType } from "../plan/definition.ts";
import { childrenOf, type GraphStep, stepWaves } from "../plan/step-waves.ts";

type CheckedStep = GraphStep & { type?: StepType };

/** Every violation of the policy by these steps, each with its path. `at`: the path of the steps. */
export function policyViolations(
  policy: WorkflowPolicy,
  steps: readonly CheckedStep[],
  at = "body.steps",
): ProblemError[] {
  return [
    ...tooMany(policy, steps, at),
    ...steps.flatMap((step, index) => forbidden(policy, step, `${at}[${index}]`)),
    ...tooWide(policy, steps, at),
    ...tooDeep(policy, steps, at),
  ];
}

function tooMany({ max_steps }: WorkflowPolicy, steps: readonly CheckedStep[], location: string): ProblemError[] {
  if (max_steps === null || steps.length <= max_steps) return [];
  const message = `has ${steps.length} steps; the policy of the project allows ${max_steps}`;
  return [{ location, message, value: steps.length }];
}

function forbidden({ forbidden_step_types }: WorkflowPolicy, step: CheckedStep, location: string): ProblemError[] {
  const { type = "job" } = step;
  if (!forbidden_step_types.includes(type)) return [];
  return [{ location: `${location}.type`, message: `${type} steps are forbidden by the policy`, value: type }];
}

/** How many steps depend directly on one. */
function tooWide({ max_fan_out }: WorkflowPolicy, steps: readonly CheckedStep[], at: string): ProblemError[] {
  if (max_fan_out === null) return [];
  const children = childrenOf(new Map(steps.map((step) => [step.step_ref, step])));
  return steps.flatMap(({ step_ref }, index) => {
    const width = children.get(step_ref)?.length ?? 0;
    if (width <= max_fan_out) return [];
    const message = `${width} steps depend on it; the policy of the project allows ${max_fan_out}`;
    return [{ location: `${at}[${index}]`, message, value: step_ref }];
  });
}

/** The length of the longest chain that ends with this step. */
function tooDeep({ max_depth }: WorkflowPolicy, steps: readonly CheckedStep[], at: string): ProblemError[] {
  if (max_depth === null) return [];
  const depths = new Map(stepWaves(steps).flatMap((wave, i) => wave.map((ref) => [ref, i + 1] as const)));
  return steps.flatMap(({ step_ref }, index) => {
    const depth = depths.get(step_ref) ?? 0;
    if (depth <= max_depth) return [];
    const message = `is the ${ordinal(depth)} step of a dependency chain; the policy of the project allows ${max_depth}`;
    return [{ location: `${at}[${index}].depends_on`, message, value: step_ref }];
  });
}

function ordinal(n: number): string {
  const last = n % 100 >= 11 && n % 100 <= 13 ? 0 : n % 10;
  return `${n}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}

/** A project's limits on its workflows. Null: no limit. */
export type WorkflowPolicy = {
  max_fan_out: number | null;
  max_depth: number | null;
  max_steps: number | null;
  forbidden_step_types: StepType[];
  require_approval_for_deploy: boolean;
};

export const NO_POLICY: WorkflowPolicy = {
  max_fan_out: null,
  max_depth: null,
  max_steps: null,
  forbidden_step_types: [],
  require_approval_for_deploy: false,
};

export async function findPolicy(ctx: Ctx, project_id: string): Promise<WorkflowPolicy> {
  const { rows } = await sql<WorkflowPolicy>`
    select max_fan_out, max_depth, max_steps, forbidden_step_types, require_approval_for_deploy
    from workflow_policies where project_id = ${project_id}`.execute(ctx.db);
  return rows[0] ?? NO_POLICY;
}
