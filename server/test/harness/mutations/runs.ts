import { find, isTrigger, lastOf, plainRun } from "./find-rows.ts";
import type { Mutations } from "./mutation.ts";

/** Mutations of runs: their creation, ends, attempts, leases and rescue. */
export const RUN_MUTATIONS: Mutations = {
  I1: {
    "an acknowledged run is gone": ({ calls }) => find(calls, isTrigger).ids.push("lost"),
    "an idempotency key has two runs": ({ runs }) => {
      const keyed = find(runs, (run) => run.idempotency_key !== null);
      find(runs, (run) => run.id !== keyed.id && run.job_id === keyed.job_id).idempotency_key = keyed.idempotency_key;
    },
  },
  I2: {
    "a run ends twice": (h) => {
      const end = lastOf(h, plainRun(h).id);
      h.transitions.push({ ...end, ordinal: end.ordinal + 1, from_status: "completed", to_status: "completed" });
      const usage = find(h.usage, (row) => row.project_id === end.project_id);
      usage.completed++;
    },
    "a run's status differs from its log": (h) => {
      plainRun(h).status = "canceled";
    },
    "a workflow run ends twice": ({ decisions }) => {
      const end = find(decisions, ({ decision_type }) => decision_type === "end");
      decisions.push({ ...end, ordinal: end.ordinal + 1 });
    },
  },
  I3: {
    "a run leaves its final state": (h) => {
      const run = find(h.runs, (each) => each.status === "canceled");
      const end = lastOf(h, run.id);
      h.transitions.push({
        ...end,
        ordinal: end.ordinal + 1,
        from_status: "canceled",
        to_status: "pending",
        cause: "retry",
      });
      Object.assign(run, { status: "pending" });
      h.is_settled = false;
    },
    "a transition is missing": (h) => {
      const run = find(h.runs, ({ id }) => h.transitions.some((each) => each.run_id === id && each.cause === "retry"));
      h.transitions = h.transitions.filter(({ run_id, cause }) => run_id !== run.id || cause !== "retry");
      find(h.usage, (row) => row.project_id === run.project_id).dispatches--;
    },
    "a step is reset without an audit event": (h) => {
      find(h.audit, ({ action }) => action === "workflow_run.step_retried").resource_id = "another";
    },
    "a reset leaves the generation as it was": (h) => {
      find(h.steps, ({ generation }) => generation > 1).generation = 1;
    },
    "a step continues after the end": ({ decisions }) => {
      const end = find(decisions, ({ decision_type }) => decision_type === "end");
      decisions.push({ ...end, ordinal: end.ordinal + 1, decision_type: "condition", step_ref: "last" });
    },
  },
  I4: {
    "an attempt is not counted": (h) => {
      const run = find(h.runs, ({ attempt, result }) => attempt === 1 && result === null);
      run.attempt = 2;
    },
    "an older attempt is dispatched after a newer one": (h) => {
      const newer = find(h.dispatches, ({ attempt }) => attempt > 1);
      newer.received_at = find(h.dispatches, ({ run_id }) => run_id === newer.run_id).received_at - 1;
    },
    "the same attempt is dispatched twice": ({ dispatches }) => {
      const [first] = dispatches;
      if (first) dispatches.push({ ...first, received_at: first.received_at + 5 });
    },
  },
  I5: {
    "a run is dispatched without a claim": ({ dispatches }) => {
      const last = find(dispatches, (each) => each === dispatches.findLast(({ run_id }) => run_id === each.run_id));
      dispatches.push({ ...last, attempt: 99, lease: "another", received_at: last.received_at + 5 });
    },
    "two attempts share one lease": ({ dispatches }) => {
      const newer = find(dispatches, ({ attempt }) => attempt > 1);
      newer.lease = find(dispatches, ({ run_id }) => run_id === newer.run_id).lease;
    },
    "a run is sent as another step": ({ dispatches }) => {
      find(dispatches, ({ step_ref }) => step_ref !== null).step_ref = "other";
    },
    "a zombie's report is accepted": (h) => {
      const report = find(h.reports, ({ accepted }) => accepted);
      report.at = lastOf(h, report.run_id).at + 1_000;
    },
    "a zombie's response is stored": (h) => {
      find(h.runs, ({ attempt, result }) => attempt > 1 && result !== null).result = { attempt: 1 };
    },
  },
  I6: {
    "a run is rescued late": (h) => {
      const { id, attempt } = plainRun(h);
      h.faults.push({ at: lastOf(h, id).at - 60_000, held: [{ run_id: id, attempt }] });
    },
    "a run is rescued from a live instance": (h) => {
      find(h.transitions, ({ cause }) => cause === "retry").cause = "lease_lost";
    },
    "a run is running without a lease": (h) => {
      const { id, project_id } = plainRun(h);
      h.transitions = h.transitions.filter((each) => each !== lastOf(h, id));
      Object.assign(
        find(h.runs, (run) => run.id === id),
        { status: "running" },
      );
      const usage = find(h.usage, (row) => row.project_id === project_id);
      Object.assign(usage, { completed: usage.completed - 1, dispatches: usage.dispatches - 1 });
      h.is_settled = false;
    },
  },
};
