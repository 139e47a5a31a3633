import type { ErrorCodeEntry } from "./entry.ts";

/** Workflows, their versions, runs and steps. */
export const WORKFLOW_CODES = {
  same_author: {
    status: 403,
    title: "Author of the version",
    meaning: "The policy of the project lets only another than its author make a version current.",
    remedy: "Let another member or key activate the version.",
  },
  not_an_approver: {
    status: 403,
    title: "Not an approver",
    meaning: "The step names who may approve or reject it, and this caller is not among them.",
    remedy: "Ask one of the `approvers` of the step to decide.",
  },
  workflow_disabled: {
    status: 409,
    title: "Workflow disabled",
    meaning: "The workflow has `enabled: false`, so nothing may start it.",
    remedy: "Enable the workflow, then trigger it again.",
  },
  workflow_run_ended: {
    status: 409,
    title: "Workflow run has ended",
    meaning: "The workflow run is completed, failed, timed out or canceled. `detail` says which.",
    remedy: "Retry the workflow run or one of its steps to let it go on.",
  },
  workflow_run_compensating: {
    status: 409,
    title: "Workflow run is compensating",
    meaning: "The workflow run undoes what its steps have done, before it ends. `detail` says how it ends.",
    remedy: "Wait for its end, then retry or replay.",
  },
  nothing_to_retry: {
    status: 409,
    title: "Nothing to retry",
    meaning: "No step of the workflow run has failed, and none was canceled when it ended.",
    remedy: "Replay the subtree of a step to do it again although it completed.",
  },
  step_not_started: {
    status: 409,
    title: "Step has not started",
    meaning: "The step is still pending, so there is nothing to do again.",
    remedy: "Wait until it has started.",
  },
  step_not_ended: {
    status: 409,
    title: "Step has not ended",
    meaning: "This needs a step that is completed, failed, skipped or canceled.",
    remedy: "Wait for its end, or replay its subtree, which cancels what runs there.",
  },
  step_ended: {
    status: 409,
    title: "Step has ended",
    meaning: "The step is completed or skipped already.",
    remedy: "Retry the step to do it again.",
  },
  step_not_waiting: {
    status: 409,
    title: "Step does not wait for an approval",
    meaning: "Only a step of type `approval` can be decided, and only while it waits. `detail` says what it is.",
    remedy: "Read the step again; somebody may have decided it, or its time was up.",
  },
  canary_active: {
    status: 409,
    title: "Canary active",
    meaning: "The workflow has an active canary, which alone says which version new runs take.",
    remedy: "Promote the canary or roll it back first; a change of the steps may also say `activate: false`.",
  },
  canary_ended: {
    status: 409,
    title: "Canary ended",
    meaning: "The workflow's last canary was promoted or rolled back; there is none to change. `detail` says which.",
    remedy: "Begin another canary.",
  },
  policy_violated: {
    status: 422,
    title: "Policy violated",
    meaning: "The steps are more than the workflow policy of the project allows. `errors` names every violation.",
    remedy: "Change the steps, or the policy at `/v1/workflow-policies/{projectID}`.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
