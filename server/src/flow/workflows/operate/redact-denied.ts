import { readDeniedRuns } from "../../../platform/access/policies/denied-runs.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

type DeniedStep = {
  workflow_run_id: string;
  step_ref: string;
  has_failed: boolean;
  is_denied: boolean;
  is_compensation_denied: boolean;
};

/** Finds the steps of these workflow runs whose run or workflow run policies forbid the caller to read. */
export async function findDeniedSteps(ctx: ProjectCtx, workflow_run_ids: readonly string[]): Promise<DeniedStep[]> {
  const denied = await readDeniedRuns(ctx);
  if (!denied || workflow_run_ids.length === 0) return [];
  const { rows } = await sql<DeniedStep>`
    select * from (
      select s.workflow_run_id, s.step_ref, s.status = 'failed' as has_failed,
        ${denied.run(sql`s.compensation_run_id`)} as is_compensation_denied,
        ${denied.run(sql`s.run_id`)} or ${denied.tree(sql`s.child_workflow_run_id`)} or exists (
          select 1 from map_items i
          where i.project_id = s.project_id and i.workflow_run_id = s.workflow_run_id and i.step_ref = s.step_ref
            and (${denied.run(sql`i.run_id`)} or ${denied.tree(sql`i.child_workflow_run_id`)})) as is_denied
      from step_runs s
      where s.project_id = ${ctx.project_id} and s.workflow_run_id = any(${workflow_run_ids}::uuid[])
    ) s where is_denied or is_compensation_denied`.execute(ctx.db);
  return rows;
}

type StepErrors = { workflow_run_id: string; step_ref: string; error: unknown; compensation_error: unknown };

/** Removes outputs and errors of denied runs from the steps of one workflow run. Status and ids stay. */
export async function redactSteps<Step extends Omit<StepErrors, "workflow_run_id">>(
  ctx: ProjectCtx,
  workflow_run_id: string,
  steps: readonly Step[],
): Promise<Step[]> {
  const denied = new Map((await findDeniedSteps(ctx, [workflow_run_id])).map((each) => [each.step_ref, each]));
  return steps.map((step) => {
    const found = denied.get(step.step_ref);
    if (!found) return step;
    const own = { error: null, ...("output" in step ? { output: null } : {}) };
    return {
      ...step,
      ...(found.is_denied ? own : {}),
      ...(found.is_compensation_denied ? { compensation_error: null } : {}),
    };
  });
}

/** Removes the error of workflow runs that quote a step whose run is denied. */
export async function redactRuns<Run extends { id: string; error: unknown }>(
  ctx: ProjectCtx,
  runs: readonly Run[],
): Promise<Run[]> {
  const failed = runs.filter(({ error }) => error !== null).map(({ id }) => id);
  const denied = (await findDeniedSteps(ctx, failed)).filter((step) => step.has_failed || step.is_compensation_denied);
  const quoting = new Set(denied.map(({ workflow_run_id }) => workflow_run_id));
  return runs.map((run) => (quoting.has(run.id) ? { ...run, error: null } : run));
}
