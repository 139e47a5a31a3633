import { never } from "../../../platform/errors/errors.ts";
import type { Mode } from "../../../platform/settings/config.ts";
import type { JobVersion, RetryRule } from "../create/job-version.ts";
import type { LeasedRun, Outcome, RunError } from "../dispatch/outcome.ts";
import type { RunCause } from "../states.ts";

/** The result of an outcome: the run's end, or another attempt. */
export type Settlement =
  | {
      kind: "end";
      to_status: "completed" | "failed" | "timed_out";
      cause: RunCause;
      result_json: string;
      error: RunError | null;
      tries_used: number;
      crash_count: number;
      /** All tries are used, or a retry is pointless: the run goes to the dead-letter queue. */
      is_dead: boolean;
    }
  | {
      kind: "requeue";
      cause: RunCause;
      /** For an unreachable endpoint, the maximum: the delay grows with the time since the first failure. */
      delay_secs: number;
      error: RunError | null;
      tries_used: number;
      crash_count: number;
    };

/** A run that crashes its dispatcher is not retried forever, regardless of its job's settings. */
const MAX_CRASHES = 3;

/** A developer restarts the endpoint all the time. */
const UNREACHABLE_MAX_SECS = { dev: 2, serve: 30 } as const;

/** Pure: the retry rules. `accepted` is not a settlement; its run is still running. */
export function planSettle(
  run: LeasedRun,
  outcome: Exclude<Outcome, { kind: "accepted" }>,
  version: JobVersion,
  mode: Mode,
): Settlement {
  const { tries_used, crash_count } = run;
  switch (outcome.kind) {
    case "completed":
      return end(run, "completed", "completed", { result_json: outcome.result_json });
    case "drained":
      return {
        kind: "requeue",
        cause: "drained",
        delay_secs: outcome.delay_secs ?? 0,
        error: null,
        tries_used,
        crash_count,
      };
    case "unreachable":
      return {
        kind: "requeue",
        cause: "unreachable",
        delay_secs: UNREACHABLE_MAX_SECS[mode],
        error: outcome.error,
        tries_used,
        crash_count,
      };
    case "failed":
      if (!outcome.retryable) return deadLetter(run, "failed", "failed", outcome.error);
      return tryAgain(run, version, "retry", "failed", outcome.error, outcome.retry_after_secs);
    case "timed_out":
      return tryAgain(run, version, "timeout", "timed_out", {
        code: "timeout",
        message: "The endpoint did not respond within the run's timeout_secs.",
      });
    case "heartbeat_lost":
      return tryAgain(run, version, "heartbeat_lost", "timed_out", {
        code: "heartbeat_lost",
        message: "The run was accepted, then sent no heartbeat within heartbeat_timeout_secs.",
      });
    case "lease_lost":
      return leaseLost(run, version);
    case "worker_lost":
      return workerLost(run);
    default:
      return never(outcome);
  }
}

function leaseLost(run: LeasedRun, version: JobVersion): Settlement {
  const crash_count = run.crash_count + 1;
  const error = {
    code: "lease_lost",
    message: `The instance that dispatched the run stopped renewing its lease (${crash_count}×).`,
  };
  if (crash_count >= MAX_CRASHES) return deadLetter({ ...run, crash_count }, "failed", "lease_lost", error);
  const settlement = tryAgain({ ...run, crash_count }, version, "lease_lost", "failed", error);
  // Only an instance of ours has failed: the endpoint needs no time to recover.
  return settlement.kind === "requeue" ? { ...settlement, delay_secs: 0 } : settlement;
}

/** The job may not have begun: no try is used. But a run that kills its workers is not claimed forever. */
function workerLost(run: LeasedRun): Settlement {
  const crash_count = run.crash_count + 1;
  const error = {
    code: "worker_lost",
    message: `The worker that claimed the run sent no heartbeat before its lease expired (${crash_count}×).`,
  };
  const { tries_used } = run;
  if (crash_count >= MAX_CRASHES)
    return { ...deadLetter({ ...run, crash_count }, "failed", "lease_lost", error), tries_used };
  return { kind: "requeue", cause: "lease_lost", delay_secs: 0, error, tries_used, crash_count };
}

function tryAgain(
  run: LeasedRun,
  version: JobVersion,
  cause: RunCause,
  finalStatus: "failed" | "timed_out",
  error: RunError,
  retryAfterSecs?: number,
): Settlement {
  const tries_used = run.tries_used + 1;
  if (tries_used >= run.max_attempts) return deadLetter(run, finalStatus, cause === "retry" ? "failed" : cause, error);
  const delay_secs = retryDelaySecs(version, tries_used, retryAfterSecs);
  return { kind: "requeue", cause, delay_secs, error, tries_used, crash_count: run.crash_count };
}

function deadLetter(run: LeasedRun, to_status: "failed" | "timed_out", cause: RunCause, error: RunError): Settlement {
  return { ...end(run, to_status, cause, { error }), tries_used: run.tries_used + 1, is_dead: true };
}

function end(
  { tries_used, crash_count }: LeasedRun,
  to_status: "completed" | "failed" | "timed_out",
  cause: RunCause,
  { result_json = "null", error = null }: { result_json?: string; error?: RunError | null },
) {
  return { kind: "end", to_status, cause, result_json, error, tries_used, crash_count, is_dead: false } as const;
}

const FIRST_SECS = 1;
const MAX_DELAY_SECS = 3_600;
const MAX_JITTER = 0.2; // added, never subtracted: no retry comes early

/** The delay before the try after `triesUsed` failed ones. The endpoint's Retry-After is a minimum, up to an hour. */
export function retryDelaySecs(rule: RetryRule, triesUsed: number, retryAfterSecs = 0): number {
  const requested = Math.min(retryAfterSecs, MAX_DELAY_SECS);
  return Math.max(plannedDelaySecs(rule, triesUsed), requested) * (1 + Math.random() * MAX_JITTER);
}

function plannedDelaySecs({ retry_strategy, retry_delays_secs }: RetryRule, triesUsed: number): number {
  switch (retry_strategy) {
    case "exponential":
      return Math.min(FIRST_SECS * 2 ** Math.max(0, triesUsed - 1), MAX_DELAY_SECS);
    case "linear":
      return Math.min(FIRST_SECS * triesUsed, MAX_DELAY_SECS);
    case "fixed":
      return FIRST_SECS;
    case "custom": {
      const delays = retry_delays_secs ?? [];
      return delays[Math.min(triesUsed, delays.length) - 1] ?? FIRST_SECS;
    }
  }
}
