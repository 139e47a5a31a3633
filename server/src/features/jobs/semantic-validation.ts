import { type CreateJob, JOB_DEFAULTS } from "@millrace/contract/jobs";
import type { ProblemError } from "@millrace/contract/problem";
import type { SemanticValidation } from "../../platform/route.ts";
import { jobIssues, PAIRED, pairIssues } from "./job-issues.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";

/** What is wrong with the settings of a job beside what its schema says. */
export function jobSemanticValidation(left: Partial<CreateJob>, { config }: SemanticValidation): ProblemError[] {
  return jobIssues(config, withDefaults(left), new Set(Object.keys(left) as JobSetting[]));
}

/** The same for a job that does not exist yet, whose other settings are therefore known. */
export function newJobSemanticValidation(left: Partial<CreateJob>, beside: SemanticValidation): ProblemError[] {
  const isRead = !PAIRED.some((name) => beside.refused.has(`body.${name}`));
  return [...jobSemanticValidation(left, beside), ...(isRead ? pairIssues(withDefaults(left)) : [])];
}

/** Those that have no default are judged only when they are left. */
function withDefaults(left: Partial<CreateJob>): JobSettings {
  return { ...JOB_DEFAULTS, ...left } as unknown as JobSettings;
}
