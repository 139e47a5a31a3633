import { ApiError } from "../client/http/api-error.ts";
import type { WorkerResults, WorkerResultsBody } from "../generated/schemas.ts";
import type { Claims } from "./claims.ts";
import { type HeldRun, type HeldRuns, leaseOf } from "./held-runs.ts";
import type { ServiceLine } from "./service-line.ts";

type RunResult = WorkerResultsBody["results"][number];
/** `isReplacement`: sent instead of a result that the service refused. */
type Report = { held: HeldRun; result: RunResult; bytes: number; isReplacement?: true };

const MAX_RESULTS = 100;
/** Half of the largest body that the service accepts by default. */
const MAX_BYTES = 524_288;
/** Runs that end together are reported together. */
const COALESCE_MS = 4;
const TIMEOUT_MS = 30_000;

export type Results = {
  add: (held: HeldRun, result: Omit<RunResult, "run_id" | "attempt" | "lease_token">, bytes?: number) => void;
};

type ResultsInput = {
  line: ServiceLine;
  worker_id: string;
  runs: HeldRuns;
  claims: Claims;
  /** Nothing is claimed from then on. */
  stopping: AbortSignal;
  /** Results are no longer repeated from then on. */
  ended: AbortSignal;
  onError: (error: unknown) => void;
};

/** Sends results in batches, each until it is answered, with the next claim in the same request while there is more. */
export function openResults(input: ResultsInput): Results {
  const { runs } = input;
  let pending: Report[] = [];
  let isBusy = false;

  async function flush(): Promise<void> {
    while (pending.length > 0 && !input.ended.aborted) {
      const batch = takeBatch(pending);
      pending = pending.slice(batch.length);
      await deliver(input, batch);
    }
    isBusy = false;
  }
  return {
    add: (held, result, bytes = 0) => {
      if (held.isLost) return runs.remove(held);
      pending.push({ held, result: { ...leaseOf(held), ...result }, bytes });
      if (isBusy) return;
      isBusy = true;
      setTimeout(() => void flush(), COALESCE_MS);
    },
  };
}

function takeBatch(pending: readonly Report[]): Report[] {
  let bytes = 0;
  const end = pending.findIndex((report, nth) => {
    bytes += report.bytes;
    return nth === MAX_RESULTS || (nth > 0 && bytes > MAX_BYTES);
  });
  return pending.slice(0, end === -1 ? pending.length : end);
}

async function deliver(input: ResultsInput, batch: readonly Report[]): Promise<void> {
  const { line, worker_id, runs, claims, stopping, ended } = input;
  const room = runs.room() + batch.length;
  const claim = claims.hasMore() && room > 0 && !stopping.aborted ? claims.open(room) : undefined;
  const body: WorkerResultsBody = { worker_id, results: batch.map(({ result }) => result), ...(claim && { claim }) };
  try {
    const options = { signal: ended, timeoutMs: TIMEOUT_MS, isFinal };
    const answer = await line.untilAnswered<WorkerResults>("/results", body, options);
    for (const { held } of batch) runs.remove(held);
    if (claim) claims.close(claim, answer.claim ?? undefined);
  } catch (error) {
    if (claim) claims.close(claim, undefined);
    if (!ended.aborted) await deliverRefused(input, batch, error);
  }
}

/** One result that the service cannot read must not hold up the others; its run fails with the reason. */
async function deliverRefused(input: ResultsInput, batch: readonly Report[], error: unknown): Promise<void> {
  if (batch.length > 1) {
    for (const report of batch) await deliver(input, [report]);
    return;
  }
  input.onError(error);
  const [report] = batch;
  if (!report) return;
  if (report.isReplacement) return input.runs.remove(report.held);
  const message = `The service refused the result: ${String(error)}`.slice(0, 16_000);
  const code = error instanceof ApiError && error.status === 413 ? "result_too_large" : "result_rejected";
  const result = { ...leaseOf(report.held), status: "failed" as const, error: { code, message } };
  await deliver(input, [{ held: report.held, result: { ...result, retryable: false }, bytes: 0, isReplacement: true }]);
}

/** The body itself is at fault. A wrong key or address can be corrected while the worker waits. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && [400, 413, 422].includes(error.status);
}
