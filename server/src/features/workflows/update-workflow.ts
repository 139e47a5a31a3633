import { isDeepStrictEqual } from "node:util";
import type { UpdateWorkflow, Workflow } from "@millrace/contract/workflows";
import { readTags } from "../../flow/prepare-run.ts";
import { unparkWorkflow } from "../../flow/workflows/unpark-workflow.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { recordAudit } from "../../platform/ledger/record-audit.ts";
import { refuseIdAsSlug, slugTaken } from "../../platform/slug.ts";
import { getWorkflow } from "./get-workflow.ts";
import { keepSchedule } from "./keep-schedule.ts";
import { normalSteps } from "./normal-steps.ts";
import { lockWorkflow, type WorkflowRow } from "./queries.ts";
import { holdJobs, referenceFaults, refuseBeyondKey, refuseVanishedEnvironment } from "./references.ts";
import { stepFaults } from "./step-faults.ts";
import { refuseFaults, workflowFaults } from "./workflow-faults.ts";
import { BEHAVIOUR, changedSettings, TIMES, touches, type WorkflowSetting } from "./workflow-settings.ts";
import { insertVersion, updateWorkflowRow } from "./write-workflow.ts";

type Change = { before: WorkflowRow; wanted: WorkflowRow; changed: ReadonlySet<WorkflowSetting> };

/** A change of how runs go makes a new version; runs in flight keep theirs. Nothing changed: nothing written. */
export async function updateWorkflow(ctx: ProjectCtx, ref: string, body: UpdateWorkflow): Promise<Workflow> {
  refuseIdAsSlug(body.slug);
  const { workflow, changed } = await inTransaction(ctx, async (tx) => {
    const change = await readChange(tx, ref, body);
    const { before, changed } = change;
    if (changed.size === 0) return { workflow: before, changed };
    await writeChange(tx, change);
    const after = await getWorkflow(tx, before.id);
    await recordAudit(tx, {
      action: "workflow.updated",
      resource_type: "workflow",
      resource_id: before.id,
      before,
      after,
    });
    return { workflow: after, changed };
  });
  if (changed.has("max_concurrent_runs")) {
    const { id: workflow_id, max_concurrent_runs: most } = workflow;
    await unparkWorkflow(ctx, { project_id: ctx.project_id, workflow_id, most });
  }
  return workflow;
}

/** What the change comes to, judged by the workflow as it stands under the lock. */
async function readChange(tx: ProjectCtx & InTransaction, ref: string, body: UpdateWorkflow): Promise<Change> {
  const before = await lockWorkflow(tx, ref);
  if (!before) throw notFound("workflow");
  refuseBeyondKey(tx, before.environment_id);
  const jobs = await holdJobs(tx, body.steps ?? [], body.on_failure_job_id ?? null);
  const wanted = {
    ...before,
    ...body,
    tags: body.tags ? readTags(body.tags) : before.tags,
    steps: body.steps ? normalSteps(body.steps, jobs) : before.steps,
  };
  const changed = changedSettings(before, wanted);
  refuseBeyondKey(tx, wanted.environment_id);
  refuseFaults([
    ...(isSentBack(before, body)
      ? []
      : stepFaults(body.steps ?? [], { jobs, private_endpoints: tx.config.private_endpoints })),
    ...workflowFaults(wanted, changed),
    ...(await referenceFaults(tx, wanted, changed, jobs)),
  ]);
  return { before, wanted, changed };
}

/** Steps as they were read are not judged again. Others are, also when they come to the same: a field may be too many. */
function isSentBack(before: WorkflowRow, { steps }: UpdateWorkflow): boolean {
  return steps === undefined || isDeepStrictEqual(steps, before.steps);
}

async function writeChange(tx: ProjectCtx & InTransaction, { before, wanted, changed }: Change): Promise<void> {
  const isNewVersion = touches(changed, BEHAVIOUR);
  const version = before.version + 1;
  const workflow = isNewVersion ? { ...wanted, version, current_version: version, version_id: newId() } : wanted;
  if (isNewVersion) await insertVersion(tx, workflow);
  await updateWorkflowRow(tx, workflow).catch((error) => {
    if (violates(error, "workflows_slug_idx")) throw slugTaken(wanted.slug);
    return refuseVanishedEnvironment(error, wanted.environment_id);
  });
  if (touches(changed, TIMES)) await keepSchedule(tx, wanted);
}
