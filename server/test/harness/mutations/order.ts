import { find, jobOf, lastOf } from "./find-rows.ts";
import type { Mutations } from "./mutation.ts";

/** Wrong claims, a wrong order of claims, a tenant that waits, and a workflow run that never ends. */
export const ORDER_MUTATIONS: Mutations = {
  S1: {
    "a run is claimed after a cancel above it": (h) => {
      const { workflow_run_id } = find(
        h.decisions,
        ({ decision_type, step_ref }) => decision_type === "compensate" && step_ref === null,
      );
      for (const row of h.decisions) if (row.workflow_run_id === workflow_run_id) row.committed_at -= 60_000;
    },
    "a run is claimed while it is paused": (h) => {
      const resume = find(h.decisions, ({ decision_type }) => decision_type === "resume");
      for (const row of h.decisions)
        if (row.workflow_run_id === resume.workflow_run_id && row.ordinal >= resume.ordinal) row.committed_at += 60_000;
    },
    "a run is claimed after a bulk cancel": (h) => {
      const run = find(h.runs, (each) => each.status === "canceled");
      const created = find(h.transitions, ({ run_id }) => run_id === run.id);
      const claim = {
        ...created,
        ordinal: 2,
        from_status: "pending",
        to_status: "running",
        cause: "claimed",
        attempt: 1,
      };
      const end = lastOf(h, run.id);
      Object.assign(end, { ordinal: 3, from_status: "running", attempt: 1 });
      Object.assign(run, { attempt: 1, scheduled_at: run.created_at });
      h.transitions.push({ ...claim, at: end.at, committed_at: end.committed_at + 60_000 });
      find(h.usage, (row) => row.project_id === run.project_id).dispatches++;
    },
  },
  S2: {
    "a run overtakes one of a better rank": (h) => {
      const job = find(h.jobs, ({ max_concurrency }) => max_concurrency === 1);
      const claims = h.transitions.filter(({ run_id, cause }) => cause === "claimed" && jobOf(h, run_id) === job.id);
      const last = claims.toSorted((a, b) => a.committed_at - b.committed_at).at(-1);
      find(h.runs, ({ id }) => id === last?.run_id).priority = 100;
    },
  },
  S3: {
    "a tenant waits for another": ({ timings }) => {
      for (const timing of timings) timing.contended_ms = timing.contended_ms.map((ms) => ms * 10);
    },
  },
  L1: {
    "a workflow run never ends": ({ workflow_runs }) => {
      find(workflow_runs, ({ status }) => status === "canceled").status = "running";
    },
  },
};
