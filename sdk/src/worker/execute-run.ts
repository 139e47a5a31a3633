import type { ClientCore } from "../client/create-core.ts";
import type { AnyJob } from "../define-job.ts";
import type { Dispatch } from "../serve/dispatch.ts";
import type { Middleware } from "../serve/middleware.ts";
import { failureOf } from "../serve/report-failure.ts";
import { runAttempt } from "../serve/run-attempt.ts";
import { openSession } from "../serve/session.ts";
import type { HeldRun, HeldRuns } from "./held-runs.ts";
import type { Results } from "./results.ts";

type ExecuteInput = {
  core: ClientCore;
  jobs: ReadonlyMap<string, AnyJob>;
  middleware: readonly Middleware[];
  /** Sends a heartbeat for all runs of the worker. */
  beat: () => Promise<void>;
  results: Results;
  runs: HeldRuns;
  onError: (error: unknown) => void;
};

/** Executes a claimed run as `serve` executes a dispatch, and hands over its result. Never throws. */
export async function executeRun(input: ExecuteInput, held: HeldRun): Promise<void> {
  const { core, middleware, beat, results, runs, onError } = input;
  const { run_token, job_slug, traceparent, tracestate } = held.run;
  const headers: Record<string, string | undefined> = { traceparent, tracestate };
  const job = input.jobs.get(job_slug);
  if (!job) return results.add(held, { status: "unknown_job" });
  const startedAt = performance.now();
  const session = openSession(core, held.run as unknown as Dispatch, run_token);
  held.stop = session.stop;
  const heart = { beat, stop: () => {} };
  try {
    const end = await runAttempt({
      session,
      heart,
      job,
      header: (name) => headers[name],
      middleware,
      onError,
    });
    const duration_ms = Math.round(performance.now() - startedAt);
    if (end.kind === "completed") {
      const { resultJson } = end;
      // A copy: the job may go on to change what it returned.
      results.add(held, { status: "completed", result: JSON.parse(resultJson), duration_ms }, resultJson.length * 2);
    } else if (end.kind === "failed") results.add(held, { status: "failed", ...failureOf(end.error), duration_ms });
    else runs.remove(held);
  } catch (error) {
    onError(error);
    results.add(held, { status: "failed", ...failureOf(error) });
  }
}
