import type { ErrorCodeEntry } from "./entry.ts";

/** What a project keeps: jobs, workflows, environments, schedules. */
export const CATALOG_CODES = {
  job_disabled: {
    status: 409,
    title: "Job disabled",
    meaning: "The job has `enabled: false`, so nothing may start it.",
    remedy: "Enable the job, then trigger it again.",
  },
  job_deleted: {
    status: 409,
    title: "Job deleted",
    meaning: "The job of the run was deleted, so nothing can run it again.",
    remedy: "Create the job anew and trigger it.",
  },
  slug_taken: {
    status: 409,
    title: "Slug taken",
    meaning: "Another object of the same parent has this slug.",
    remedy: "Choose another slug, or leave it out to have one made.",
  },
  environment_in_use: {
    status: 409,
    title: "Environment in use",
    meaning: "Something still depends on the environment: a child environment, an API key or a job.",
    remedy: "Remove or move what `errors` lists, then delete it.",
  },
  job_in_use: {
    status: 409,
    title: "Job in use",
    meaning: "Another job names this one as its `on_failure_job_id`.",
    remedy: "Change the jobs that `errors` lists, then delete it.",
  },
  workflow_in_use: {
    status: 409,
    title: "Workflow in use",
    meaning: "Other workflows start this one by a step of theirs.",
    remedy: "Change the workflows that `errors` lists, then delete it.",
  },
  environment_is_standard: {
    status: 409,
    title: "Standard environment",
    meaning: "production, staging and development belong to every project: no delete, no new slug, no parent.",
    remedy: "Create an environment of your own for this.",
  },
  schedule_is_default: {
    status: 409,
    title: "Default schedule",
    meaning: "The schedule is made from its job's own `cron`: its times and its overlap policy are the job's.",
    remedy: "Change `cron`, `timezone` or `cron_overlap_policy` of the job; `cron: null` removes the schedule.",
  },
  environment_cycle: {
    status: 422,
    title: "Environment cycle",
    meaning: "The parent is the environment itself or one of its descendants, or the line of parents is too long.",
    remedy: "Choose a parent that does not inherit from this environment.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
