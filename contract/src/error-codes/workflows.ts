import type { ErrorCodeEntry } from "./entry.ts";

/** Workflows, their versions, runs and steps. */
export const WORKFLOW_CODES = {
  same_author: {
    status: 403,
    title: "Author cannot activate the version",
    meaning: "The project's workflow policy requires that someone other than the author activates a version.",
    remedy: "Have another member or API key activate the version.",
  },
  not_an_approver: {
    status: 403,
    title: "Not an approver",
    meaning: "The step lists its approvers, and the caller is not one of them.",
    remedy: "Ask one of the step's `approvers` to decide.",
  },
  workflow_disabled: {
    status: 409,
    title: "Workflow disabled",
    meaning: "The workflow has `enabled: false` and cannot be started.",
    remedy: "Enable the workflow, then trigger it again.",
  },
  workflow_run_ended: {
    status: 409,
    title: "Workflow run has ended",
    meaning: "The workflow run is already completed, failed, timed out or canceled, as `detail` states.",
    remedy: "Retry the workflow run or one of its steps to continue it.",
  },
  workflow_run_compensating: {
    status: 409,
    title: "Workflow run is compensating",
    meaning: "The workflow run is undoing its completed steps before it ends. `detail` states how it will end.",
    remedy: "Wait until it has ended, then retry or replay it.",
  },
  nothing_to_retry: {
    status: 409,
    title: "Nothing to retry",
    meaning: "No step of the workflow run has failed, and none was canceled when it ended.",
    remedy: "To run a completed step again, replay its subtree.",
  },
  step_not_started: {
    status: 409,
    title: "Step has not started",
    meaning: "The step is still pending, so there is nothing to repeat.",
    remedy: "Wait until it has started.",
  },
  step_not_ended: {
    status: 409,
    title: "Step has not ended",
    meaning: "This requires a step that is completed, failed, skipped or canceled.",
    remedy: "Wait until it ends, or replay its subtree, which cancels its running steps.",
  },
  step_ended: {
    status: 409,
    title: "Step has ended",
    meaning: "The step is already completed or skipped.",
    remedy: "Retry the step to run it again.",
  },
  step_not_waiting: {
    status: 409,
    title: "Step is not waiting for an approval",
    meaning:
      "Only steps of type `approval` can be approved or rejected, and only while they are waiting. `detail` states the step's type or status.",
    remedy: "Read the step again. It may have been decided or timed out meanwhile.",
  },
  canary_active: {
    status: 409,
    title: "Canary active",
    meaning: "The workflow has an active canary, which controls the version of new runs.",
    remedy: "Promote the canary or roll it back first. Changes to the steps can also be saved with `activate: false`.",
  },
  canary_ended: {
    status: 409,
    title: "Canary ended",
    meaning:
      "The workflow's last canary was promoted or rolled back, as `detail` states. There is no active canary to change.",
    remedy: "Start another canary.",
  },
  policy_violated: {
    status: 422,
    title: "Policy violated",
    meaning: "The steps violate the project's workflow policy. `errors` lists every violation.",
    remedy: "Change the steps, or the policy at `/v1/workflow-policies/{projectID}`.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
