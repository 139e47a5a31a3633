import { findPolicy } from "../../flow/workflows/find-policy.ts";
import { policyViolations } from "../../flow/workflows/policy-violations.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { Refusal } from "../../platform/errors.ts";
import { authorOf } from "./author-of.ts";
import { refuseViolations } from "./policy-faults.ts";
import { holdJobs } from "./references.ts";
import { approveVersion, findAuthor, type VersionRow } from "./version-queries.ts";
import { refuseFaults } from "./workflow-faults.ts";

/**
 * Lets runs take a version that is not the current one, or refuses: its jobs must be there, the policy must allow it,
 * and where the policy asks for approval it must have it. Whoever is not its author gives it by this.
 */
export async function deployVersion(tx: ProjectCtx & InTransaction, version: VersionRow): Promise<void> {
  const policy = await findPolicy(tx, tx.project_id);
  refuseViolations(policyViolations(policy, version.steps, "version.steps"));
  await refuseMissingJobs(tx, version);
  if (version.approved_by !== null) return;
  if (!(await isTheirOwn(tx, version))) return approveVersion(tx, version.id);
  if (!policy.require_approval_for_deploy) return;
  throw new Refusal("same_author", `Version ${version.version} needs the approval of another than its author.`);
}

/** Versions older than authors are told apart by name, which is the best that is known of them. */
async function isTheirOwn(ctx: ProjectCtx, version: VersionRow): Promise<boolean> {
  const author = await findAuthor(ctx, version.id);
  return author === null ? version.created_by === ctx.caller.name : author === authorOf(ctx);
}

/** A job of a version that was not current could be deleted. */
async function refuseMissingJobs(tx: ProjectCtx & InTransaction, { steps }: VersionRow): Promise<void> {
  const jobs = await holdJobs(tx, steps, null);
  refuseFaults(
    steps.flatMap(({ job_id }, place) =>
      job_id === undefined || jobs.has(job_id)
        ? []
        : [{ location: `version.steps[${place}].job_id`, message: "is not a job of this project", value: job_id }],
    ),
  );
}
