import { pause } from "../client/http/pause.ts";
import type { WorkerHeartbeat } from "../generated/schemas.ts";
import { CanceledError } from "../job-errors.ts";
import { type HeldRuns, leaseOf } from "./held-runs.ts";
import type { ServiceLine } from "./service-line.ts";

/** Keeps the body of a heartbeat below the service's default limit of 1 MiB. */
const MAX_AT_ONCE = 5_000;
const TIMEOUT_MS = 5_000;
/** The first lease lasts 15 s: a failed heartbeat is repeated soon. */
const RETRY_MS = 1_000;

/** One call for all runs, also for those whose results have not arrived. Learns which were canceled or lost. */
export async function sendHeartbeat(line: ServiceLine, worker_id: string, runs: HeldRuns): Promise<void> {
  const held = runs.all();
  for (let from = 0; from < held.length; from += MAX_AT_ONCE) {
    const part = held.slice(from, from + MAX_AT_ONCE);
    const body = { worker_id, runs: part.map(leaseOf) };
    const answer = await line.send<WorkerHeartbeat>("/heartbeats", body, { timeoutMs: TIMEOUT_MS });
    const [canceled, lost] = [new Set(answer.cancel), new Set(answer.lost)];
    for (const each of part) {
      if (canceled.has(each.run.run_id)) runs.lose(each, new CanceledError());
      else if (lost.has(each.run.run_id))
        runs.lose(
          each,
          new CanceledError("This attempt no longer holds the run: it timed out, or its lease was lost."),
        );
    }
  }
}

/** Until the signal. Runs continue while the service is unavailable: a lease that no one else took is extended again. */
export async function keepBeating(
  beat: () => Promise<void>,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<void> {
  let delayMs = everyMs;
  while (!signal.aborted) {
    await pause(delayMs, signal).catch(() => {});
    if (signal.aborted) return;
    delayMs = await beat().then(
      () => everyMs,
      () => Math.min(everyMs, RETRY_MS * (0.5 + Math.random())),
    );
  }
}
