import { createCore } from "../client/create-core.ts";
import { MillraceError } from "../errors.ts";
import { type ClaimScope, openClaims, pollClaims } from "./claims.ts";
import { executeRun } from "./execute-run.ts";
import { keepBeating, sendHeartbeat } from "./heartbeats.ts";
import { openHeldRuns } from "./held-runs.ts";
import { openResults } from "./results.ts";
import { openServiceLine } from "./service-line.ts";
import { stopWorker } from "./stop-worker.ts";
import type { StopOptions, Worker, WorkerOptions } from "./worker-options.ts";

/**
 * A worker for jobs with `delivery: "pull"`: it claims runs from the service, so it needs no open port. SIGTERM and
 * SIGINT stop it in order.
 *
 * @example
 * await sync(client, { jobs: [sendMail], delivery: "pull" });
 * const worker = createWorker({ jobs: [sendMail], client, concurrency: 50 }).start();
 * await worker.stopped;
 */
export function createWorker(options: WorkerOptions): Worker {
  const { concurrency = 50, middleware = [], heartbeatIntervalMs = 10_000 } = options;
  const onError = options.onError ?? ((error: unknown) => console.error(error));
  const scope = scopeOf(options, concurrency);
  const { worker_id } = scope;
  const core = options.client ?? createCore(options);
  const line = openServiceLine(core, onError);
  const [stopping, ended] = [new AbortController(), new AbortController()];
  const jobs = new Map(options.jobs.map((job) => [job.id, job]));

  const beat = () => sendHeartbeat(line, worker_id, runs);
  const runs = openHeldRuns(concurrency, (held) =>
    executeRun({ core, jobs, middleware, beat, results, runs, onError }, held),
  );
  const claims = openClaims(scope, runs);
  const signals = { stopping: stopping.signal, ended: ended.signal };
  const results = openResults({ line, worker_id, runs, claims, onError, ...signals });

  let polling: Promise<void> | undefined;
  let finished: Promise<void> | undefined;
  let resolveStopped = () => {};
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve;
  });
  const worker: Worker = {
    id: worker_id,
    stopped,
    start: () => {
      if (polling || finished)
        throw new MillraceError("worker_started", "A worker can be started once. Create another.");
      polling = pollClaims(line, { claims, runs, signal: stopping.signal });
      void keepBeating(beat, { everyMs: heartbeatIntervalMs, signal: ended.signal });
      if (options.handleSignals !== false) stopOnSignals(worker);
      return worker;
    },
    stop: ({ grace = "30s" }: StopOptions = {}) => {
      const given = { line, worker_id, runs, polling, stopping, ended, grace, onError };
      finished ??= stopWorker(given).then(resolveStopped);
      return finished;
    },
  };
  return worker;
}

function scopeOf({ jobs, queue, queues, name, version, labels }: WorkerOptions, concurrency: number): ClaimScope {
  return {
    worker_id: crypto.randomUUID(),
    queues: [...(queues ?? [queue ?? "default"])],
    jobs: jobs.map(({ id }) => id),
    info: {
      concurrency,
      ...(name !== undefined && { name }),
      ...(version !== undefined && { version }),
      ...(labels !== undefined && { labels }),
    },
  };
}

type Signals = { once: (signal: string, fn: () => void) => void; off: (signal: string, fn: () => void) => void };

/** A second signal ends the process as usual. Not every runtime has signals. */
function stopOnSignals(worker: Worker): void {
  const { process } = globalThis as { process?: Partial<Signals> };
  if (!process?.once) return;
  const stop = () => void worker.stop();
  for (const signal of SIGNALS) process.once(signal, stop);
  void worker.stopped.then(() => {
    for (const signal of SIGNALS) process.off?.(signal, stop);
  });
}

const SIGNALS = ["SIGTERM", "SIGINT"];
