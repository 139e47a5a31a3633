import type { ErrorCodeEntry } from "./entry.ts";

/** Runs and bulk operations on them. */
export const RUN_CODES = {
  budget_exceeded: {
    status: 402,
    title: "Budget exceeded",
    meaning: "The project's monthly budget has the action `block`, and what is left of it does not cover this run.",
    remedy: "Raise the budget, or wait for the next month. Runs that were already admitted continue.",
  },
  stale_attempt: {
    status: 409,
    title: "Stale attempt",
    meaning: "This attempt no longer owns the run: it was lost, timed out, paused or superseded by a newer attempt.",
    remedy: "Stop working on the run. Further reports from this attempt are discarded.",
  },
  run_not_ended: {
    status: 409,
    title: "Run has not ended",
    meaning: "This requires a run that is completed, failed, timed out or canceled.",
    remedy: "Wait until the run ends, or cancel it first.",
  },
  run_already_started: {
    status: 409,
    title: "Run already started",
    meaning: "Tags, metadata, priority and start time can only be changed before the first attempt.",
    remedy: "Cancel the run and replay it with the changes.",
  },
  already_replayed: {
    status: 409,
    title: "Dead letter already replayed",
    meaning: "The run was replayed and removed from the dead-letter queue. A dead letter can be replayed only once.",
    remedy: "Look at the run created by that replay, and replay that one if it failed too.",
  },
  data_deleted: {
    status: 409,
    title: "Data deleted",
    meaning: "The data of the run or workflow run was deleted, including its payload.",
    remedy: "Replay the run with a new `payload`, or discard it. For a workflow run, trigger the workflow again.",
  },
  not_dead_lettered: {
    status: 409,
    title: "Not in the dead-letter queue",
    meaning: "Only a run in the dead-letter queue can be discarded.",
    remedy: "Nothing to do: the run was never in the dead-letter queue, or was already replayed or discarded.",
  },
  belongs_to_workflow: {
    status: 409,
    title: "Run belongs to a workflow",
    meaning: "The run belongs to a step of a workflow run.",
    remedy: "Retry the step of the workflow run instead.",
  },
  batch_operation_ended: {
    status: 409,
    title: "Batch operation has ended",
    meaning: "The batch operation is already completed, failed or canceled, as `detail` states.",
    remedy: "Nothing to cancel. Items that were already processed stay as they are.",
  },
  run_already_ended: {
    status: 409,
    status_for_run: 410,
    title: "Run already ended",
    meaning:
      "The run is completed, failed, timed out or canceled, as `detail` states, and this is final. A job that reports on its own run gets 410, every other request 409.",
    remedy: "In a job, stop working on the run. Otherwise, replay the run to execute it again.",
  },
  payload_invalid: {
    status: 422,
    title: "Invalid payload",
    meaning:
      "The payload does not match the `payload_schema` of the job or workflow, takes too many steps to validate, or lacks a value that the key of a limit or of `cancel_on` refers to.",
    remedy:
      "Correct the payload at the locations in `errors`, or change the job or workflow. If validation takes too many steps, send less data at once or simplify the schema.",
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
    meaning: "Runs can spawn runs up to 32 levels deep.",
    remedy: "Spawn from a run further up, or end the recursion.",
  },
  run_tree_too_large: {
    status: 422,
    title: "Run tree too large",
    meaning: "A run and all its descendants together can be at most 100,000 runs.",
    remedy: "End the recursion, or start the work in a separate run.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
