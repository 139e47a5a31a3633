import type { ErrorCodeEntry } from "./entry.ts";

/** Runs, and what is done to many of them. */
export const RUN_CODES = {
  budget_exceeded: {
    status: 402,
    title: "Budget used up",
    meaning: "The project's monthly budget blocks, and what was spent and reserved leaves no room for this run.",
    remedy: "Raise the budget, or wait for the next month. Runs that were admitted go on.",
  },
  stale_attempt: {
    status: 409,
    title: "Stale attempt",
    meaning: "The run is no longer in the hands of this attempt: it was lost, timed out, paused or started again.",
    remedy: "Stop working on it. Whatever this attempt still reports is dropped.",
  },
  run_not_ended: {
    status: 409,
    title: "Run has not ended",
    meaning: "This needs a run that is completed, failed, timed out or canceled.",
    remedy: "Wait for its end, or cancel it first.",
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
    meaning: "A replay has taken the run off the dead-letter list: a dead letter is replayed once.",
    remedy: "Look at the run made by that replay, and replay that one if it failed too.",
  },
  data_deleted: {
    status: 409,
    title: "Data deleted",
    meaning: "The data of the run or workflow run were deleted: what it was started with is no longer there.",
    remedy: "Replay the run with a `payload`, or discard it; trigger the workflow anew.",
  },
  not_dead_lettered: {
    status: 409,
    title: "Not on the dead-letter list",
    meaning: "Only a run on the dead-letter list can be discarded.",
    remedy: "Nothing is left to do: it was never on the list, or was replayed or discarded before.",
  },
  belongs_to_workflow: {
    status: 409,
    title: "Run belongs to a workflow",
    meaning: "The run was started by a step of a workflow, which waits for it.",
    remedy: "Retry the step of the workflow run.",
  },
  batch_operation_ended: {
    status: 409,
    title: "Batch operation has ended",
    meaning: "The batch operation is completed, failed or canceled. `detail` says which.",
    remedy: "Nothing is left to cancel: what it has done stays done.",
  },
  run_already_ended: {
    status: 409,
    status_for_run: 410,
    title: "Run already ended",
    meaning:
      "The run is completed, failed, timed out or canceled, and that is final. `detail` says which. A job that reports on its own run is answered 410, every other request 409.",
    remedy: "A job stops working on it. Replay the run to do it again.",
  },
  payload_invalid: {
    status: 422,
    title: "Payload refused",
    meaning:
      "The payload does not fit the `payload_schema` of the job or workflow, takes too many steps to check against it, or lacks a value that the key of a limit or of `cancel_on` is made of.",
    remedy:
      "Correct the payload at the locations in `errors`, or change the job or workflow. One that takes too many steps: send less at once, or ask less of each value in the schema.",
  },
  dependency_cycle: {
    status: 422,
    title: "Dependency cycle",
    meaning: "The dependency would close a cycle between jobs; `detail` shows its path.",
    remedy: "Take away one of the dependencies on the path.",
  },
  spawn_depth_exceeded: {
    status: 422,
    title: "Spawned too deep",
    meaning: "Runs that spawn runs that spawn runs: at most 32 levels.",
    remedy: "Spawn from a run higher up, or end the recursion.",
  },
  run_tree_too_large: {
    status: 422,
    title: "Too many runs in one tree",
    meaning: "Runs that were spawned by one run and by its descendants: at most 100,000.",
    remedy: "End the recursion, or start the work from a run of its own.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;
