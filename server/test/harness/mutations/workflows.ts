import { find, plainRun } from "./find-rows.ts";
import type { Mutations } from "./mutation.ts";

/** Mutations of workflow runs and waits: order of steps, failures, events, sleeps. */
export const WORKFLOW_MUTATIONS: Mutations = {
  I7: {
    "a step starts before its dependency": ({ decisions }) => {
      const parent = find(
        decisions,
        ({ decision_type, step_ref }) => decision_type === "complete" && step_ref === "start",
      );
      const child = find(decisions, ({ decision_type, step_ref }) => decision_type === "start" && step_ref === "each");
      [parent.ordinal, child.ordinal] = [child.ordinal, parent.ordinal];
    },
    "a step starts twice": ({ decisions }) => {
      const start = find(decisions, ({ decision_type }) => decision_type === "start");
      decisions.push({ ...start, ordinal: start.ordinal + 0.5 });
    },
    "a step has two runs": (h) => {
      const [one, other] = h.runs.filter(({ step_ref }) => step_ref?.startsWith("each["));
      if (!one || !other) throw new Error("no items");
      for (const row of h.dispatches) if (row.run_id === other.id) row.step_ref = one.step_ref;
      other.step_ref = one.step_ref;
    },
  },
  I8: {
    "a step runs after one that failed under skip_dependents": ({ steps }) => {
      Object.assign(
        find(steps, ({ step_ref }) => step_ref === "behind"),
        { status: "completed", cause: null },
      );
    },
    "a step is skipped without a failure": ({ steps }) => {
      Object.assign(
        find(steps, ({ step_ref }) => step_ref === "last"),
        { status: "skipped", cause: "dependency" },
      );
    },
    "a failed step does not fail its workflow run": ({ workflow_runs }) => {
      const { definition } = find(workflow_runs, (run) => run.error_count === 2);
      Object.assign(
        find(definition, ({ step_ref }) => step_ref === "optional"),
        { on_failure: "fail_workflow" },
      );
      Object.assign(
        find(definition, ({ step_ref }) => step_ref === "behind"),
        { depends_on: [] },
      );
    },
    "an error is not counted": ({ workflow_runs }) => {
      find(workflow_runs, (run) => run.error_count === 2).error_count = 1;
    },
  },
  I9: {
    "a wait timed out, but its run was resumed": ({ waits }) => {
      find(waits, ({ job_run_id }) => job_run_id !== null).status = "timed_out";
    },
    "a step receives an event twice": ({ decisions }) => {
      const event = find(decisions, ({ decision_type, step_ref }) => decision_type === "event" && step_ref === "paid");
      decisions.push({ ...event, ordinal: event.ordinal + 0.5 });
    },
  },
  I10: {
    "a wait is received, but its run resumes in a later transaction": ({ waits }) => {
      find(waits, ({ job_run_id }) => job_run_id !== null).xid = "1";
    },
    "a wait is received, but its step completes in a later transaction": ({ waits }) => {
      find(waits, ({ step_ref }) => step_ref === "paid").xid = "1";
    },
  },
  I11: {
    "a sleep ends early": ({ waits }) => {
      find(waits, ({ wait_kind, status }) => wait_kind === "sleep" && status === "received").expires_at += 5_000;
    },
    "a delayed run starts early": (h) => {
      plainRun(h).scheduled_at += 60_000;
    },
  },
};
