import { type CreateJob, JOB_DEFAULTS } from "@millrace/contract/jobs";
import type { ProblemError } from "@millrace/contract/problem";
import type { SemanticValidation } from "../../platform/route.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { jobIssues, PAIRED, pairIssues } from "./job-issues.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";

/** Semantic validation of the given settings of a job. */
export function jobSemanticValidation(
  left: Partial<CreateJob>,
  { config }: SemanticValidation,
): Promise<ProblemError[]> {
  return inSlices(jobIssues(config, withDefaults(left), new Set(Object.keys(left) as JobSetting[])));
}

/** Semantic validation of a new job, whose other settings have their defaults. */
export async function newJobSemanticValidation(
  left: Partial<CreateJob>,
  context: SemanticValidation,
): Promise<ProblemError[]> {
  const isRead = !PAIRED.some((name) => context.refused.has(`body.${name}`));
  return [...(await jobSemanticValidation(left, context)), ...(isRead ? pairIssues(withDefaults(left)) : [])];
}

/** Settings without a default are checked only when given. */
function withDefaults(left: Partial<CreateJob>): JobSettings {
  return { ...JOB_DEFAULTS, ...left } as unknown as JobSettings;
}
