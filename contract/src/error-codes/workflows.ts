import type { ErrorCodeEntry } from "./entry.ts";

/** Workflows, their versions, runs and steps. */
export const WORKFLOW_CODES = {
  same_author: {
    status: 403,
    title: "Author cannot activate the version",
    meaning: "The policy of the project requires that somebody other than its author activates a version.",
    remedy: "Ask another member, or use another key, to activate the version.",
  },
  not_an_approver: {
    status: 403,
    title: "Not an approver",
    meaning: "The step has a list of approvers, and this caller is not one of them.",
    remedy: "Ask one of the `approvers` of the step to decide.",
  },
  workflow_disabled: {
    status: 409,
    title: "Workflow disabled",
    meaning: "The workflow has `enabled: false`, so no runs can be started.",
    remedy: "Enable the workflow, then trigger it again.",
  },
  workflow_run_ended: {
    status: 409,
    title: "Workflow run has ended",
    meaning: "The workflow run is completed, failed, timed out or canceled. `detail` says which.",
    remedy: "Retry the workflow run or one of its steps to continue it.",
  },
  workflow_run_compensating: {
    status: 409,
    title: "Workflow run is compensating",
    meaning: "The workflow run is undoing its completed steps before it ends. `detail` says how it will end.",
    remedy: "Wait until it has ended, then retry or replay.",
  },
  nothing_to_retry: {
    status: 409,
    title: "Nothing to retry",
    meaning: "No step of the workflow run has failed, and none was canceled when it ended.",
    remedy: "To repeat completed steps, replay the subtree of a step.",
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
    remedy: "Wait until the step has ended, or replay its subtree, which cancels what is running there.",
  },
  step_ended: {
    status: 409,
    title: "Step has ended",
    meaning: "The step is already completed or skipped.",
    remedy: "Retry the step to repeat it.",
  },
  step_not_waiting: {
    status: 409,
    title: "Step is not waiting for an approval",
    meaning:
      "Only a step of type `approval` can be decided, and only while it is waiting. `detail` has its type and status.",
    remedy: "Read the step again. It may have been decided already, or have timed out.",
  },
  canary_active: {
    status: 409,
    title: "Canary active",
    meaning: "The workflow has an active canary, which determines the version of new runs.",
    remedy:
      "Promote the canary or roll it back first. You can still save a change of the steps with `activate: false`.",
  },
  canary_ended: {
    status: 409,
    title: "Canary ended",
    meaning: "The workflow's last canary was promoted or rolled back, so there is none to change. `detail` says which.",
    remedy: "Start another canary.",
  },
  policy_violated: {
    status: 422,
    title: "Policy violated",
    meaning: "The steps exceed the limits of the project's workflow policy. `errors` lists every violation.",
    remedy: "Change the steps, or the policy at `/v1/workflow-policies/{projectID}`.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
