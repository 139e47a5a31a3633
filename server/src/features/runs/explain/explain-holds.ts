import type { RunBlocker } from "@millrace/contract/runs/run-explanation";
import { type Facts, isClaimable } from "./explain-facts.ts";

/** Blockers from the run's own state or its job's, derived from the facts alone. Each function covers one reason. */
export function holdsOf(facts: Facts): RunBlocker[] {
  return [pausedRun, pauseRequested, stopped, notDue, pausedJob, pausedQueue, noWorker, circuit, notQueued].flatMap(
    (explain) => explain(facts) ?? [],
  );
}

function pausedRun({ status, run_id, moved_at }: Facts): RunBlocker | undefined {
  if (status !== "paused") return undefined;
  return {
    code: "paused_run",
    message: `The run has been paused since ${moved_at}.`,
    since: moved_at,
    until: null,
    evidence: {},
    remedy: { message: "Resume the run.", request: { method: "POST", path: `/v1/runs/${run_id}/resume` } },
  };
}

/** It is waiting, and would be paused instead of continuing. */
function pauseRequested({ status, pause_requested, run_id }: Facts): RunBlocker | undefined {
  if (status !== "waiting" || !pause_requested) return undefined;
  return {
    code: "pause_requested",
    message: "A pause was requested: the run will be paused when its wait ends.",
    since: null,
    until: null,
    evidence: {},
    remedy: { message: "Withdraw the pause request.", request: { method: "POST", path: `/v1/runs/${run_id}/resume` } },
  };
}

/** Stopped in the queue by a cancel or pause of its workflow run or an ancestor, or by a bulk cancel. */
function stopped({ stopped, stopped_by, lease_until }: Facts): RunBlocker | undefined {
  if (stopped === null || lease_until !== null) return undefined;
  const evidence = { workflow_run_id: stopped_by };
  if (stopped === "pause") {
    const resume = { method: "POST", path: `/v1/workflow-runs/${stopped_by}/resume` } as const;
    return {
      code: "paused_workflow_run",
      message: `The run's workflow run ${stopped_by} is paused.`,
      since: null,
      until: null,
      evidence,
      remedy: { message: "Resume that workflow run, or its paused parent.", request: resume },
    };
  }
  const by = stopped === "batch" ? "A bulk cancel has selected the run" : `The workflow run ${stopped_by} was canceled`;
  return {
    code: "canceling",
    message: `${by}: it will not start, and is about to be canceled.`,
    since: null,
    until: null,
    evidence,
    remedy: { message: "Wait: it is canceled automatically." },
  };
}

function notDue(facts: Facts): RunBlocker | undefined {
  const { blocked_on, due_at, now, status, attempt } = facts;
  const isLater = due_at > now && !isClaimable(facts) && status !== "waiting";
  if (blocked_on !== "not_due" && !isLater) return undefined;
  return attempt > 0 ? backoff(facts) : delayed(facts);
}

function delayed({ run_id, due_at, created_at, now }: Facts): RunBlocker {
  return {
    code: "not_due",
    message: `The run is delayed until ${due_at}.`,
    since: created_at,
    until: due_at,
    evidence: { due_at },
    remedy: {
      message: "Wait until it is due, or change its start time.",
      request: { method: "PATCH", path: `/v1/runs/${run_id}`, body: { scheduled_at: now } },
    },
  };
}

/** If the run was paused since, its last transition is the pause, which has no facts about the attempt. */
function backoff(facts: Facts): RunBlocker {
  const { status, attempt, tries_used, max_attempts, error, cause, due_at, moved_at } = facts;
  const isPaused = status === "paused";
  const how = error ? `failed: ${error.message}` : "ended.";
  const isDown = cause === "unreachable" && facts.down_since !== null;
  return {
    code: "backoff",
    message: isDown
      ? `${downMessage(facts)} The next attempt is due at ${due_at}; no try was used.`
      : `Attempt ${attempt} ${how} The next attempt is due at ${due_at}.`,
    since: isPaused ? null : moved_at,
    until: due_at,
    evidence: {
      ...{ attempt, tries_used, max_attempts, cause: isPaused ? null : cause, error, due_at },
      ...(isDown && { down_since: facts.down_since, waiting_runs: facts.waiting_runs }),
    },
    remedy: { message: "Wait for the next attempt; the endpoint's response is in `evidence.error`." },
  };
}

function pausedJob({ paused_at, blocked_on, job_id, job_slug }: Facts): RunBlocker | undefined {
  if (paused_at === null && !blocked_on?.startsWith("paused_job:")) return undefined;
  const message = paused_at
    ? `The job ${job_slug} has been paused since ${paused_at}.`
    : `The job ${job_slug} was resumed, and its runs are being unblocked.`;
  const resume = { method: "POST", path: `/v1/jobs/${job_id}/resume` } as const;
  return {
    code: "paused_job",
    message,
    since: paused_at,
    until: null,
    evidence: { job_id, paused_at },
    remedy: paused_at ? { message: "Resume the job.", request: resume } : { message: "Wait half a minute." },
  };
}

function pausedQueue({ queue_paused_at, blocked_on, queue }: Facts): RunBlocker | undefined {
  if (queue_paused_at === null && !blocked_on?.startsWith("paused_queue:")) return undefined;
  const message = queue_paused_at
    ? `The queue ${queue} has been paused since ${queue_paused_at}.`
    : `The queue ${queue} was resumed, and its runs are being unblocked.`;
  const resume = { method: "POST", path: `/v1/queues/${queue}/resume` } as const;
  return {
    code: "paused_queue",
    message,
    since: queue_paused_at,
    until: null,
    evidence: { queue, paused_at: queue_paused_at },
    remedy: queue_paused_at ? { message: "Resume the queue.", request: resume } : { message: "Wait half a minute." },
  };
}

/** Nobody would claim it. */
function noWorker({ delivery, workers, queue, job_slug }: Facts): RunBlocker | undefined {
  if (delivery === "push" || workers > 0) return undefined;
  return {
    code: "no_worker",
    message: `No live worker serves the job ${job_slug} in the queue ${queue}.`,
    since: null,
    until: null,
    evidence: { queue, job_slug, workers },
    remedy: { message: `Start a worker that serves the queue ${queue} and the job ${job_slug}.` },
  };
}

/** Also for a run with another blocker: the circuit would block it next. */
function circuit(facts: Facts): RunBlocker | undefined {
  const { host, blocked_on, circuit_opened_at, circuit_reason, circuit_probe_at, circuit_good_probes } = facts;
  if (circuit_opened_at === null && !blocked_on?.startsWith("circuit:")) return undefined;
  if (circuit_opened_at !== null && facts.circuit_cause === "unreachable") return unreachable(facts);
  const message = circuit_opened_at
    ? `The endpoint ${host} has been failing since ${circuit_opened_at}: ${circuit_reason} One run is dispatched as a probe every few seconds.`
    : `The endpoint ${host} responds again, and its runs are being unblocked.`;
  return {
    code: "circuit",
    message,
    since: circuit_opened_at,
    until: null,
    evidence: { host, reason: circuit_reason, next_probe_at: circuit_probe_at, good_probes: circuit_good_probes },
    remedy: { message: `Fix ${host}: three successful responses in a row unblock all its runs.` },
  };
}

function unreachable(facts: Facts): RunBlocker {
  const { host, down_since, waiting_runs, circuit_reason, circuit_probe_at, circuit_good_probes } = facts;
  const evidence = { host, reason: circuit_reason, down_since, next_probe_at: circuit_probe_at, waiting_runs };
  const isBack = (circuit_good_probes ?? 0) > 0;
  return {
    code: "circuit",
    message: isBack
      ? `The endpoint ${host} can be reached again; its ${runsIn(waiting_runs)} are being released.`
      : `${downMessage(facts)} The next probe is ${inSecs(facts)}.`,
    since: down_since,
    until: null,
    evidence,
    remedy: {
      message: `Start ${host}, or correct the job's endpoint_url: the runs continue as soon as it accepts connections.`,
    },
  };
}

function downMessage({ host, down_since, circuit_reason, waiting_runs }: Facts): string {
  const waiting = waiting_runs === 1 ? "1 run is waiting" : `${waiting_runs} runs are waiting`;
  return `The endpoint ${host} has been down since ${down_since}: ${circuit_reason} ${waiting}.`;
}

function runsIn(count: number): string {
  return count === 1 ? "1 waiting run" : `${count} waiting runs`;
}

function inSecs({ circuit_probe_at, now_ms }: Facts): string {
  const secs = Math.max(0, Math.ceil((Date.parse(circuit_probe_at ?? "") - now_ms) / 1_000));
  return secs > 0 ? `in ${secs} s` : "due now";
}

function notQueued({ status, is_queued, lease_until, moved_at }: Facts): RunBlocker | undefined {
  if (status !== "pending" || (is_queued && lease_until === null)) return undefined;
  return {
    code: "not_queued",
    message: is_queued ? "The run is being claimed right now." : "The run is not in the queue yet.",
    since: moved_at,
    until: null,
    evidence: { lease_until },
    remedy: { message: "Wait: reconciliation queues it within two minutes." },
  };
}
