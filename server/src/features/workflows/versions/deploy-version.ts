import type { ProblemError } from "@millrace/contract/schema/problem";
import { findPolicy, policyViolations } from "../../../flow/workflows/start/workflow-policy.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { throwIssues } from "../../../platform/errors/issues.ts";
import { holdWorkflows } from "../hold-workflows.ts";
import { refuseViolations } from "../validate/policy-issues.ts";
import { holdJobs } from "../validate/references.ts";
import { authorOf } from "../write-workflow.ts";
import { approveVersion, findAuthor, type VersionRow } from "./version-queries.ts";

/**
 * Lets runs use a version that is not current, or rejects it: its jobs must exist, the policy must allow it, and it
 * must be approved if the policy requires that. A caller other than its author approves it by this call.
 */
export async function deployVersion(tx: ProjectCtx & InTransaction, version: VersionRow): Promise<void> {
  const policy = await findPolicy(tx, tx.project_id);
  refuseViolations(policyViolations(policy, version.steps, "version.steps"));
  await refuseMissing(tx, version);
  if (version.approved_by !== null) return;
  if (!(await isTheirOwn(tx, version))) return approveVersion(tx, version.id);
  if (!policy.require_approval_for_deploy) return;
  throw new ApiError("same_author", `Version ${version.version} needs the approval of someone other than its author.`);
}

/** Versions from before authors were recorded are compared by name, because nothing else is known. */
async function isTheirOwn(ctx: ProjectCtx, version: VersionRow): Promise<boolean> {
  const author = await findAuthor(ctx, version.id);
  return author === null ? version.created_by === ctx.caller.name : author === authorOf(ctx);
}

/** A job or workflow that only this version uses may have been deleted while it was not current. */
async function refuseMissing(tx: ProjectCtx & InTransaction, { steps }: VersionRow): Promise<void> {
  const jobs = await holdJobs(tx, steps, null);
  const workflows = await holdWorkflows(tx, steps);
  throwIssues(
    steps.flatMap(({ job_id, workflow_id }, index) => [
      ...missing(job_id, jobs, `version.steps[${index}].job_id`, "is not a job of this project"),
      ...missing(workflow_id, workflows, `version.steps[${index}].workflow_id`, "is not a workflow of this project"),
    ]),
  );
}

function missing(
  ref: string | undefined,
  known: ReadonlyMap<string, string>,
  location: string,
  message: string,
): ProblemError[] {
  return ref === undefined || known.has(ref) ? [] : [{ location, message, value: ref }];
}
