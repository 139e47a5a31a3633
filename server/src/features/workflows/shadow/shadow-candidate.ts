import type { ShadowWorkflow } from "@millrace/contract/workflows/shadow";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import type { StepDefinition, WorkflowDefinition } from "../../../flow/workflows/plan/definition.ts";
import { findPolicy } from "../../../flow/workflows/start/workflow-policy.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { holdWorkflows } from "../hold-workflows.ts";
import type { WorkflowRow } from "../queries.ts";
import { normalSteps } from "../validate/normal-steps.ts";
import { refuseSave } from "../validate/policy-issues.ts";
import { holdJobs } from "../validate/references.ts";
import { stepIssues } from "../validate/step-issues.ts";

/** `version_id` is null for a candidate that is not saved. */
export type Candidate = { version_id: string | null; version: number | null; definition: WorkflowDefinition };

/** A version of the workflow, or steps that are validated as if they were saved. */
export async function readCandidate(
  ctx: ProjectCtx,
  workflow: WorkflowRow,
  { version, steps }: ShadowWorkflow,
): Promise<Candidate> {
  if (!steps) return findCandidate(ctx, workflow, version ?? workflow.version);
  const { timeout_secs, max_parallel_steps } = workflow;
  const definition = { steps: await readSteps(ctx, steps), timeout_secs, max_parallel_steps };
  return { version_id: null, version: null, definition };
}

function readSteps(ctx: ProjectCtx, steps: readonly StepInput[]): Promise<StepDefinition[]> {
  return inTransaction(ctx, async (tx) => {
    const jobs = await holdJobs(tx, steps, null);
    const workflows = await holdWorkflows(tx, steps);
    const issues = await inSlices(
      stepIssues(steps, { jobs, workflows, private_endpoints: tx.config.private_endpoints }),
    );
    await refuseSave(tx, { issues, policy: await findPolicy(tx, tx.project_id), steps });
    return normalSteps(steps, { jobs, workflows });
  });
}

type VersionRow = WorkflowDefinition & { id: string; version: number };

async function findCandidate(ctx: ProjectCtx, { id }: WorkflowRow, requested: number | string): Promise<Candidate> {
  const { rows } = await sql<VersionRow>`
    select v.id, v.version, v.steps, v.timeout_secs, v.max_parallel_steps from workflow_versions v
    where v.project_id = ${ctx.project_id} and v.workflow_id = ${id}
      and ${typeof requested === "number" ? sql`v.version = ${requested}` : sql`v.id = ${requested}`}`.execute(ctx.db);
  if (!rows[0]) throw invalid("body.version", "is not a version of this workflow", requested);
  const { id: version_id, version, ...definition } = rows[0];
  return { version_id, version, definition };
}
