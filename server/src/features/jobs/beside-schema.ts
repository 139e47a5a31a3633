import { type CreateJob, JOB_DEFAULTS } from "@millrace/contract/jobs";
import type { ProblemError } from "@millrace/contract/problem";
import type { BesideSchema } from "../../platform/route.ts";
import { jobFaults, PAIRED, pairFaults } from "./job-faults.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";

/** What is wrong with the settings of a job beside what its schema says. */
export function jobBesideSchema(left: Partial<CreateJob>, { config }: BesideSchema): ProblemError[] {
  return jobFaults(config, withDefaults(left), new Set(Object.keys(left) as JobSetting[]));
}

/** The same for a job that does not exist yet, whose other settings are therefore known. */
export function newJobBesideSchema(left: Partial<CreateJob>, beside: BesideSchema): ProblemError[] {
  const isRead = !PAIRED.some((name) => beside.refused.has(`body.${name}`));
  return [...jobBesideSchema(left, beside), ...(isRead ? pairFaults(withDefaults(left)) : [])];
}

/** Those that have no default are judged only when they are left. */
function withDefaults(left: Partial<CreateJob>): JobSettings {
  return { ...JOB_DEFAULTS, ...left } as unknown as JobSettings;
}
