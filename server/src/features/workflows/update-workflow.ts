import { isDeepStrictEqual } from "node:util";
import type { UpdateWorkflow, Workflow } from "@millrace/contract/workflows/workflows";
import { readTags } from "../../flow/runs/create/merge-tags.ts";
import { changeWorkflowLimit } from "../../flow/workflows/start/change-workflow-limit.ts";
import { findPolicy } from "../../flow/workflows/start/workflow-policy.ts";
import { refuseDeniedTrigger } from "../../platform/access/policies/refuse-denied.ts";
import { refuseRedirecting } from "../../platform/access/policies/refuse-redirecting.ts";
import { refuseOtherEnvironment, refuseRetagging } from "../../platform/access/policies/refuse-retagging.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { changedSettings, touches } from "../../platform/settings/changed-settings.ts";
import { slugTaken } from "../../platform/slug.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { refuseDuringCanary } from "./canaries/canary-queries.ts";
import { holdWorkflows } from "./hold-workflows.ts";
import { getWorkflow, lockWorkflow, type WorkflowRow } from "./queries.ts";
import { normalSteps } from "./validate/normal-steps.ts";
import { refuseSave } from "./validate/policy-issues.ts";
import {
  holdJobs,
  type Named,
  readReferences,
  refuseBeyondKey,
  refuseVanishedEnvironment,
} from "./validate/references.ts";
import { refuseOverridingSave } from "./validate/refuse-overriding-steps.ts";
import { resolveApprovers } from "./validate/resolve-approvers.ts";
import { stepIssues } from "./validate/step-issues.ts";
import { workflowIssues } from "./validate/workflow-issues.ts";
import { reportReplaced } from "./versions/replaced-version.ts";
import { BEHAVIOR, TIMES, type WorkflowSetting, type WorkflowSettings } from "./workflow-settings.ts";
import { insertVersion, keepSchedule, updateWorkflowRow } from "./write-workflow.ts";

type Change = {
  before: WorkflowRow;
  wanted: WorkflowRow;
  changed: ReadonlySet<WorkflowSetting>;
  /** A new version becomes the current one. */
  activates: boolean;
  breaking_change: boolean;
};

/**
 * A change of how runs are executed creates a new version; runs in flight keep theirs. Writes nothing if nothing
 * changes.
 */
export function updateWorkflow(ctx: ProjectCtx, ref: string, body: UpdateWorkflow): Promise<Workflow> {
  return inTransaction(ctx, async (tx) => {
    const change = await readChange(tx, ref, body);
    const { before, changed } = change;
    if (changed.size === 0) return before;
    const stored = await writeChange(tx, change);
    const after = await getWorkflow(tx, before.id);
    await recordAudit(tx, {
      action: "workflow.updated",
      resource_type: "workflow",
      resource_id: before.id,
      before,
      after,
    });
    const replaced = await reportReplaced(tx, before, after, change.breaking_change);
    return { ...after, ...stored, ...replaced };
  });
}

/** The resulting workflow, computed from the locked row. */
async function readChange(tx: ProjectCtx & InTransaction, ref: string, body: UpdateWorkflow): Promise<Change> {
  const before = await lockWorkflow(tx, ref);
  if (!before) throw notFound("workflow");
  refuseBeyondKey(tx, before.environment_id);
  const { activate = true, breaking_change = false, ...fields } = body;
  const jobs = await holdJobs(tx, body.steps ?? [], body.on_failure_job_id ?? null);
  const workflows = await holdWorkflows(tx, body.steps ?? []);
  const approved = await resolveApprovers(tx, body.steps ?? [], before.steps as { approvers?: string[] }[]);
  const { references, issues: unknown } = await readReferences(tx, changedReferences(before, body), jobs);
  const wanted = {
    ...before,
    ...fields,
    ...references,
    tags: body.tags ? readTags(body.tags) : before.tags,
    steps: body.steps ? normalSteps(approved.steps, { jobs, workflows }) : before.steps,
  };
  const changed = await inSlices(changedSettings<WorkflowSettings>(before, wanted));
  refuseBeyondKey(tx, wanted.environment_id);
  await refuseUnread(tx, before, wanted);
  if (wanted.cron !== null && touches(changed, TIMES)) await refuseDeniedTrigger(tx, "workflow", before, wanted);
  await refuseRedirecting(tx, "workflow", before, changed.has("on_failure_job_id") ? ["on_failure_job_id"] : []);
  const policy = await findPolicy(tx, tx.project_id);
  const checkedSteps = isSentBack(before, body) ? [] : (body.steps ?? []);
  const issues = [
    ...(await inSlices(stepIssues(checkedSteps, { jobs, workflows, private_endpoints: tx.config.private_endpoints }))),
    ...workflowIssues(wanted, changed),
    ...unknown,
    ...approved.issues,
  ];
  await refuseSave(tx, { issues, policy, steps: checkedSteps, slug: changed.has("slug") ? wanted.slug : undefined });
  if (touches(changed, ["tags", "steps", "environment_id"])) await refuseOverridingSave(tx, wanted);
  return { before, wanted, changed, activates: activate && !policy.require_approval_for_deploy, breaking_change };
}

/** Runs inherit tags and environment, so a change must not bypass a policy that forbids the caller to read them. */
async function refuseUnread(tx: ProjectCtx, before: WorkflowRow, wanted: WorkflowRow): Promise<void> {
  const { id } = before;
  await refuseRetagging(tx, "workflows:read", { type: "workflow", ...before }, { type: "workflow", ...wanted, id });
  await refuseOtherEnvironment(tx, ["runs:read"], before.environment_id, wanted.environment_id);
}

/**
 * Unchanged steps are not validated again. Others are, even if they normalize to the same: they may have an extra
 * field.
 */
function isSentBack(before: WorkflowRow, { steps }: UpdateWorkflow): boolean {
  return steps === undefined || isDeepStrictEqual(steps, before.steps);
}

/** A reference that is sent back unchanged is not resolved again. */
function changedReferences(before: WorkflowRow, { environment_id, on_failure_job_id }: UpdateWorkflow): Named {
  return {
    environment_id: environment_id === before.environment_id ? undefined : environment_id,
    on_failure_job_id: on_failure_job_id === before.on_failure_job_id ? undefined : on_failure_job_id,
  };
}

/** Returns the version if it was stored without becoming current. */
async function writeChange(tx: ProjectCtx & InTransaction, change: Change): Promise<{ inactive_version_id?: string }> {
  const { before, wanted, changed, activates, breaking_change } = change;
  const isNewVersion = touches(changed, BEHAVIOR);
  if (isNewVersion && activates) await refuseDuringCanary(tx, before);
  const version = before.version + 1;
  const made = { ...wanted, version, current_version: version, version_id: newId() };
  if (isNewVersion) await insertVersion(tx, made, breaking_change);
  const isInactive = isNewVersion && !activates;
  await updateWorkflowRow(tx, isInactive ? { ...wanted, version } : isNewVersion ? made : wanted).catch((error) => {
    if (violates(error, "workflows_slug_idx")) throw slugTaken(wanted.slug);
    return refuseVanishedEnvironment(error, wanted.environment_id);
  });
  if (touches(changed, TIMES)) await keepSchedule(tx, wanted);
  if (changed.has("max_concurrent_runs")) {
    const { id: workflow_id, max_concurrent_runs: max } = wanted;
    await changeWorkflowLimit(tx, { project_id: tx.project_id, workflow_id, max });
  }
  return isInactive ? { inactive_version_id: made.version_id } : {};
}
