import { find, isTrigger } from "./find-rows.ts";
import type { Mutations } from "./mutation.ts";

/** Mutations of limits, deliveries, the audit log, usage, projects and the changelog. */
export const RECORD_MUTATIONS: Mutations = {
  I12: {
    "a key exceeds its concurrency": ({ jobs }) => {
      find(jobs, (job) => job.max_concurrency_per_key === 2).max_concurrency_per_key = 1;
    },
    "a job exceeds its rate": ({ jobs }) => {
      find(jobs, (job) => job.rate_limit_max === 3).rate_limit_max = 1;
    },
  },
  I13: {
    "a wait is not delivered": (h) => {
      const [gone] = h.deliveries.splice(0, 1);
      h.received_deliveries = h.received_deliveries.filter(({ id }) => id !== gone?.id);
    },
    "a delivery arrives with another id": ({ received_deliveries }) => {
      received_deliveries.push({ id: "another", body: {}, received_at: 0 });
    },
    "a sent delivery never arrived": (h) => {
      h.received_deliveries = h.received_deliveries.slice(1);
    },
  },
  I14: {
    "a cancel has no audit event": (h) => {
      find(h.audit, ({ action }) => action === "workflow_run.canceled").request_id = "another";
    },
    "a change has two audit events": (h) => {
      const row = find(h.audit, ({ action }) => action === "workflow_run.paused");
      h.audit.push({ ...row, chain_no: null, hash: null });
    },
    "a sealed event was changed": ({ audit }) => {
      find(audit, ({ chain_no }) => chain_no === 3).sealed.after = { name: "forged" };
    },
    "the tail of the chain was cut": ({ audit, audit_heads }) => {
      const [head] = audit_heads;
      const last = audit.findIndex((row) => row.project_id === head?.project_id && row.chain_no === head.count);
      Object.assign(audit[last] ?? {}, { chain_no: null, hash: null });
    },
  },
  I15: {
    "the end of a run is counted twice": ({ usage }) => {
      find(usage, ({ completed }) => completed > 0).completed++;
    },
  },
  I16: {
    "a step belongs to another project": (h) => {
      const step = find(h.steps, ({ step_ref }) => step_ref === "leaf");
      step.project_id = find(h.jobs, ({ project_id }) => project_id !== step.project_id).project_id;
    },
    "a response names a run of another project": (h) => {
      const call = find(h.calls, isTrigger);
      call.ids = [find(h.runs, ({ project_id }) => project_id !== call.project_id).id];
    },
  },
  I17: {
    "a change never reached the changelog": (h) => {
      h.changes = h.changes.slice(1);
    },
    "a change is logged twice": (h) => {
      const [first] = h.changes;
      if (first) h.changes.push({ ...first, position: Number.MAX_SAFE_INTEGER });
    },
    "a change comes after a later one of its run": (h) => {
      const creation = find(h.changes, ({ kind, ordinal }) => kind === "run" && ordinal === 1);
      h.changes = [
        ...h.changes.filter((change) => change !== creation),
        { ...creation, position: Number.MAX_SAFE_INTEGER },
      ];
    },
  },
};
