import type { ErrorCodeEntry } from "./entry.ts";

/** Resources of a project: jobs, workflows, environments, schedules. */
export const CATALOG_CODES = {
  job_disabled: {
    status: 409,
    title: "Job disabled",
    meaning: "The job has `enabled: false` and cannot be started.",
    remedy: "Enable the job, then trigger it again.",
  },
  job_deleted: {
    status: 409,
    title: "Job deleted",
    meaning: "The run's job was deleted, so the run cannot be replayed.",
    remedy: "Create the job again and trigger it.",
  },
  slug_taken: {
    status: 409,
    title: "Slug taken",
    meaning: "Another object with the same parent already has this slug.",
    remedy: "Choose another slug, or omit it to have one generated.",
  },
  environment_in_use: {
    status: 409,
    title: "Environment in use",
    meaning: "Other objects still use the environment: child environments, API keys, jobs, unfinished runs and so on.",
    remedy: "Remove or move the objects listed in `errors`, then delete the environment.",
  },
  job_in_use: {
    status: 409,
    title: "Job in use",
    meaning: "A workflow step, a compensation or an `on_failure_job_id` still refers to this job.",
    remedy: "Change the jobs and workflows listed in `errors`, then delete this job.",
  },
  queue_taken: {
    status: 409,
    title: "Queue exists",
    meaning: "The project already has a queue with this name.",
    remedy: "Choose another name, or update the existing queue.",
  },
  queue_in_use: {
    status: 409,
    title: "Queue in use",
    meaning: "Jobs still use this queue.",
    remedy: "Move the jobs listed in `errors` to another queue, then delete this one.",
  },
  queue_is_default: {
    status: 409,
    title: "Default queue",
    meaning: "Every project has the queue `default`. It cannot be deleted.",
    remedy: "Pause it or change its limits instead.",
  },
  workflow_in_use: {
    status: 409,
    title: "Workflow in use",
    meaning: "Other workflows have a step that starts this one.",
    remedy: "Change the workflows listed in `errors`, then delete this one.",
  },
  environment_is_standard: {
    status: 409,
    title: "Standard environment",
    meaning:
      "Every project has production, staging and development. They cannot be deleted, or given another slug or a parent.",
    remedy: "Create your own environment instead.",
  },
  schedule_is_default: {
    status: 409,
    title: "Default schedule",
    meaning: "The `cron` of the job or workflow created this schedule, and defines its times and overlap policy.",
    remedy: "Change `cron`, `timezone` or `cron_overlap_policy` there. `cron: null` removes the schedule.",
  },
  outbox_source_unreachable: {
    status: 409,
    title: "Outbox source unreachable",
    meaning: "The application's database could not be reached, or `millrace outbox install` has not prepared it.",
    remedy: "Check the reason in `detail`. The source retries by itself; its `last_error` shows the state.",
  },
  environment_cycle: {
    status: 422,
    title: "Environment cycle",
    meaning: "The parent is the environment itself or one of its descendants, or the chain of parents is too long.",
    remedy: "Choose a parent that does not inherit from this environment.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
