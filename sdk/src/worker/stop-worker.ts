import { pause } from "../client/http/pause.ts";
import { type Duration, durationSecs } from "../duration.ts";
import { CanceledError } from "../job-errors.ts";
import { type HeldRun, type HeldRuns, leaseOf } from "./held-runs.ts";
import type { ServiceLine } from "./service-line.ts";

const DRAIN_TIMEOUT_MS = 5_000;

type StopInput = {
  line: ServiceLine;
  worker_id: string;
  runs: HeldRuns;
  /** Ends soon after `stopping`. */
  polling: Promise<void> | undefined;
  stopping: AbortController;
  ended: AbortController;
  grace: Duration;
  onError: (error: unknown) => void;
};

/** Releases what has not started, waits for the rest, and releases what is not done in time. */
export async function stopWorker(input: StopInput): Promise<void> {
  const { runs, polling, stopping, ended, grace } = input;
  stopping.abort();
  runs.close();
  let isLate = false;
  const late = pause(durationSecs(grace) * 1_000, ended.signal).then(
    () => {
      isLate = true;
    },
    () => {},
  );
  await polling;
  for (;;) {
    // Again after each change: a claim that was sent with results may bring more.
    const waiting = runs.takeWaiting();
    if (waiting.length > 0) await putBack(input, waiting);
    if (runs.all().length === 0 || isLate) break;
    await Promise.race([runs.changed(), late]);
  }
  const left = runs.all();
  for (const held of left) runs.lose(held, new CanceledError("The worker was stopped before the run ended."));
  ended.abort();
  await putBack(input, left);
}

/** If that fails, the leases expire. */
async function putBack({ line, worker_id, onError }: StopInput, held: readonly HeldRun[]): Promise<void> {
  const body = { worker_id, runs: held.map(leaseOf) };
  await line.send("/drain", body, { timeoutMs: DRAIN_TIMEOUT_MS }).catch(onError);
}
