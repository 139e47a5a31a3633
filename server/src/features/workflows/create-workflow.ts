import { type CreateWorkflow, WORKFLOW_DEFAULTS, type Workflow } from "@millrace/contract/workflows/workflows";
import { readTags } from "../../flow/runs/create/merge-tags.ts";
import { findPolicy } from "../../flow/workflows/start/workflow-policy.ts";
import { refuseDeniedTrigger } from "../../platform/access/policies/refuse-denied.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { insertWithSlug } from "../../platform/slug.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { holdWorkflows } from "./hold-workflows.ts";
import { getWorkflow } from "./queries.ts";
import { normalSteps } from "./validate/normal-steps.ts";
import { refuseSave } from "./validate/policy-issues.ts";
import { chosenEnvironment, holdJobs, readReferences, refuseVanishedEnvironment } from "./validate/references.ts";
import { refuseOverridingSave } from "./validate/refuse-overriding-steps.ts";
import { resolveApprovers } from "./validate/resolve-approvers.ts";
import { stepIssues } from "./validate/step-issues.ts";
import { workflowIssues } from "./validate/workflow-issues.ts";
import type { WorkflowSetting, WorkflowSettings } from "./workflow-settings.ts";
import { insertVersion, insertWorkflow, keepSchedule } from "./write-workflow.ts";

export async function createWorkflow(ctx: ProjectCtx, body: CreateWorkflow): Promise<Workflow> {
  return inTransaction(ctx, (tx) => create(tx, body));
}

/** What would be created, or the errors that creating it would have. */
export async function tryToCreate(ctx: ProjectCtx, body: CreateWorkflow): Promise<Workflow> {
  let created: Workflow | undefined;
  const work = async (tx: ProjectCtx & InTransaction) => {
    created = await create(tx, body);
    throw TAKEN_BACK;
  };
  await inTransaction(ctx, work).catch((error: unknown) => {
    if (error !== TAKEN_BACK) throw error;
  });
  if (!created) throw new Error("nothing was tried");
  return created;
}

const TAKEN_BACK = new Error("a dry run is rolled back");

async function create(tx: ProjectCtx & InTransaction, body: CreateWorkflow): Promise<Workflow> {
  const id = newId();
  const settings = await readSettings(tx, body, id);
  const own = { id, version: 1, current_version: 1, version_id: newId(), ...createdBy(actorOf(tx.caller)) };
  const workflow = { ...settings, ...own };
  await insertWithSlug(body, (slug) => insertWorkflow(tx, { ...workflow, slug })).catch((error) =>
    refuseVanishedEnvironment(error, workflow.environment_id),
  );
  await insertVersion(tx, workflow);
  if (workflow.cron !== null) await keepSchedule(tx, workflow);
  const after = await getWorkflow(tx, workflow.id);
  await recordAudit(tx, { action: "workflow.created", resource_type: "workflow", resource_id: after.id, after });
  return after;
}

/** Fills in every default, or rejects with every issue. The slug is chosen at the insert. */
async function readSettings(
  tx: ProjectCtx & InTransaction,
  { project_id: _, ...body }: CreateWorkflow,
  id: string,
): Promise<WorkflowSettings> {
  const approved = await resolveApprovers(tx, body.steps);
  const jobs = await holdJobs(tx, body.steps, body.on_failure_job_id ?? null);
  const workflows = await holdWorkflows(tx, body.steps, { id, slug: body.slug });
  const named = { ...body, environment_id: chosenEnvironment(tx, body.environment_id) };
  const { references, issues: unknown } = await readReferences(tx, named, jobs);
  const settings: WorkflowSettings = {
    ...WORKFLOW_DEFAULTS,
    cancel_on: [],
    ...body,
    ...references,
    slug: body.slug ?? "",
    tags: readTags(body.tags),
    steps: normalSteps(approved.steps, { jobs, workflows }),
  };
  const all = new Set(Object.keys(settings) as WorkflowSetting[]);
  const issues = [
    ...(await inSlices(stepIssues(body.steps, { jobs, workflows, private_endpoints: tx.config.private_endpoints }))),
    ...workflowIssues(settings, all),
    ...unknown,
    ...approved.issues,
  ];
  const policy = await findPolicy(tx, tx.project_id);
  await refuseSave(tx, { issues, policy, steps: body.steps, slug: body.slug });
  await refuseOverridingSave(tx, { ...settings, id });
  if (settings.cron !== null) await refuseDeniedTrigger(tx, "workflow", { ...settings, id });
  return settings;
}
