import type { History } from "./history.ts";

/** One change of a good history, named by its effect. */
export type Mutation = (history: History) => void;

/** Grouped by the only invariant that must find it. */
export const MUTATIONS: Record<string, Record<string, Mutation>> = {
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
    "a step is reset and nobody is on record": (h) => {
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
    "an older attempt is dispatched after a newer": (h) => {
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
    "two attempts have one lease": ({ dispatches }) => {
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
    "a wait timed out, and its run was resumed": ({ waits }) => {
      find(waits, ({ job_run_id }) => job_run_id !== null).status = "timed_out";
    },
    "a step receives an event twice": ({ decisions }) => {
      const event = find(decisions, ({ decision_type, step_ref }) => decision_type === "event" && step_ref === "paid");
      decisions.push({ ...event, ordinal: event.ordinal + 0.5 });
    },
  },
  I10: {
    "a wait is received, and its run resumes in a later transaction": ({ waits }) => {
      find(waits, ({ job_run_id }) => job_run_id !== null).xid = "1";
    },
    "a wait is received, and its step completes in a later transaction": ({ waits }) => {
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
    "an end is booked twice": ({ usage }) => {
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

function find<T>(rows: readonly T[], isIt: (row: T) => boolean): T {
  const row = rows.find(isIt);
  if (!row) throw new Error("the good history has no such row");
  return row;
}

function isTrigger({ path, idempotency_key }: History["calls"][number]): boolean {
  return path.endsWith("/trigger") && path.startsWith("/v1/jobs/") && idempotency_key === null;
}

/** A run that succeeded at once and belongs to nothing else. */
function plainRun(history: History): History["runs"][number] {
  const limited = history.jobs.filter(
    (job) => job.max_concurrency ?? job.max_concurrency_per_key ?? job.rate_limit_max,
  );
  return find(
    history.runs,
    (run) =>
      run.status === "completed" &&
      run.attempt === 1 &&
      run.workflow_run_id === null &&
      run.idempotency_key === null &&
      !limited.some(({ id }) => id === run.job_id),
  );
}

function lastOf({ transitions }: History, run_id: string): History["transitions"][number] {
  return find(
    transitions.filter((each) => each.run_id === run_id).toSorted((a, b) => b.ordinal - a.ordinal),
    () => true,
  );
}

function jobOf({ runs }: History, run_id: string): string | undefined {
  return runs.find(({ id }) => id === run_id)?.job_id;
}
