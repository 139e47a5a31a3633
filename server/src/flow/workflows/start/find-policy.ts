import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { StepType } from "../plan/definition.ts";

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
