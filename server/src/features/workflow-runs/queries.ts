import { redactRuns } from "../../flow/workflows/operate/redact-denied.ts";
import { STEP_RUN_COLUMNS, type StepRunRow } from "../../flow/workflows/step-run-columns.ts";
import { WORKFLOW_RUN_COLUMNS, type WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

async function findWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<WorkflowRunRow>`
    select ${WORKFLOW_RUN_COLUMNS} from workflow_runs w
    where w.project_id = ${ctx.project_id} and w.id = ${id} and ${visible(ctx, "workflow_runs", "w")}`.execute(ctx.db);
  return rows[0];
}

/** A page is sorted by the position in the definition, written as the uuid that a cursor holds. */
export type ListedStep = StepRunRow & { step_run_id: string };

export async function listSteps(ctx: ProjectCtx, workflow_run_id: string, page: Page): Promise<ListedStep[]> {
  const { rows } = await sql<ListedStep>`
    select ${STEP_RUN_COLUMNS}, s.id as step_run_id, p.id
    from step_runs s, lateral (select lpad(to_hex(s.position), 32, '0')::uuid as id) p
    where s.project_id = ${ctx.project_id} and s.workflow_run_id = ${workflow_run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function findStep(
  ctx: ProjectCtx,
  workflow_run_id: string,
  step_ref: string,
): Promise<StepRunRow | undefined> {
  const { rows } = await sql<StepRunRow>`
    select ${STEP_RUN_COLUMNS} from step_runs s
    where s.project_id = ${ctx.project_id} and s.workflow_run_id = ${workflow_run_id}
      and s.step_ref = ${step_ref}`.execute(ctx.db);
  return rows[0];
}

export async function getWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow> {
  const found = await findWorkflowRun(ctx, id);
  const [run] = await redactRuns(ctx, found ? [found] : []);
  if (!run) throw notFound("workflow run");
  return run;
}
