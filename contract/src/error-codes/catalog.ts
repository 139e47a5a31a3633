import type { ErrorCodeEntry } from "./entry.ts";

/** Objects of a project: jobs, workflows, environments, schedules. */
export const CATALOG_CODES = {
  job_disabled: {
    status: 409,
    title: "Job disabled",
    meaning: "The job has `enabled: false`, so no runs can be started.",
    remedy: "Enable the job, then trigger it again.",
  },
  job_deleted: {
    status: 409,
    title: "Job deleted",
    meaning: "The job of the run was deleted, so the run cannot be repeated.",
    remedy: "Create the job again and trigger it.",
  },
  slug_taken: {
    status: 409,
    title: "Slug taken",
    meaning: "Another object of the same parent already has this slug.",
    remedy: "Choose another slug, or leave it out to have one generated.",
  },
  environment_in_use: {
    status: 409,
    title: "Environment in use",
    meaning: "Something still depends on the environment, such as a child environment, an API key or a job.",
    remedy: "Remove or move the objects listed in `errors`, then delete the environment.",
  },
  job_in_use: {
    status: 409,
    title: "Job in use",
    meaning: "Another job names this one as its `on_failure_job_id`.",
    remedy: "Change the jobs listed in `errors`, then delete this one.",
  },
  workflow_in_use: {
    status: 409,
    title: "Workflow in use",
    meaning: "Other workflows start this one in a step.",
    remedy: "Change the workflows listed in `errors`, then delete this one.",
  },
  environment_is_standard: {
    status: 409,
    title: "Standard environment",
    meaning:
      "The environments production, staging and development belong to every project. They cannot be deleted, get another slug or have a parent.",
    remedy: "Create your own environment instead.",
  },
  schedule_is_default: {
    status: 409,
    title: "Default schedule",
    meaning: "The schedule comes from the `cron` of its job, which determines its times and its overlap policy.",
    remedy: "Change `cron`, `timezone` or `cron_overlap_policy` of the job. `cron: null` removes the schedule.",
  },
  environment_cycle: {
    status: 422,
    title: "Environment cycle",
    meaning: "The parent is the environment itself or one of its descendants, or the chain of parents is too long.",
    remedy: "Choose a parent that does not inherit from this environment.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
