import type { ErrorCodeEntry } from "./entry.ts";

/** Runs and bulk operations. */
export const RUN_CODES = {
  budget_exceeded: {
    status: 402,
    title: "Budget exceeded",
    meaning: "The project has a blocking monthly budget, and what was spent and reserved leaves no room for this run.",
    remedy: "Raise the budget, or wait for the next month. Runs that were admitted continue.",
  },
  stale_attempt: {
    status: 409,
    title: "Stale attempt",
    meaning: "This attempt no longer owns the run: it was lost, timed out or paused, or a newer attempt has started.",
    remedy: "Stop working on the run. Further reports of this attempt are ignored.",
  },
  run_not_ended: {
    status: 409,
    title: "Run has not ended",
    meaning: "This requires a run that is completed, failed, timed out or canceled.",
    remedy: "Wait until the run has ended, or cancel it first.",
  },
  run_already_started: {
    status: 409,
    title: "Run already started",
    meaning: "Tags, metadata, priority and start time can be changed only before the first attempt.",
    remedy: "Cancel the run and replay it with the changes.",
  },
  already_replayed: {
    status: 409,
    title: "Dead letter already replayed",
    meaning: "The run has already been replayed. A dead letter can be replayed only once.",
    remedy: "Look at the run that the replay created. If it failed too, replay that one.",
  },
  data_deleted: {
    status: 409,
    title: "Data deleted",
    meaning: "The data of the run or workflow run were deleted, including the input needed to repeat it.",
    remedy: "Replay the run with a `payload`, or discard it. Trigger the workflow again.",
  },
  not_dead_lettered: {
    status: 409,
    title: "Not on the dead-letter list",
    meaning: "Only a run on the dead-letter list can be discarded.",
    remedy: "Nothing needs to be done: the run was never on the list, or was already replayed or discarded.",
  },
  belongs_to_workflow: {
    status: 409,
    title: "Run belongs to a workflow",
    meaning: "The run was started by a step of a workflow, which waits for its result.",
    remedy: "Retry the step of the workflow run instead.",
  },
  batch_operation_ended: {
    status: 409,
    title: "Batch operation has ended",
    meaning: "The batch operation is completed, failed or canceled. `detail` says which.",
    remedy: "Nothing is left to cancel. Processed items stay as they are.",
  },
  run_already_ended: {
    status: 409,
    status_for_run: 410,
    title: "Run already ended",
    meaning:
      "The run is completed, failed, timed out or canceled, which is final. `detail` says which. A job that reports on its own run gets 410, any other request 409.",
    remedy: "In a job, stop working on the run. To repeat the run, replay it.",
  },
  payload_invalid: {
    status: 422,
    title: "Payload invalid",
    meaning:
      "The payload does not match the `payload_schema` of the job or workflow, takes too many steps to validate, or lacks a value that the key of a limit or of `cancel_on` needs.",
    remedy:
      "Correct the payload at the locations in `errors`, or change the job or workflow. If validation takes too many steps, send a smaller payload or simplify the schema.",
  },
  dependency_cycle: {
    status: 422,
    title: "Dependency cycle",
    meaning: "The dependency would create a cycle between jobs. `detail` shows its path.",
    remedy: "Remove one of the dependencies on the path.",
  },
  spawn_depth_exceeded: {
    status: 422,
    title: "Spawn depth exceeded",
    meaning: "Runs can spawn runs at most 32 levels deep.",
    remedy: "Spawn from a run at a higher level, or end the recursion.",
  },
  run_tree_too_large: {
    status: 422,
    title: "Too many runs in one tree",
    meaning: "A run and its descendants can have at most 100,000 runs in total.",
    remedy: "End the recursion, or trigger the work as a separate run instead of spawning it.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
