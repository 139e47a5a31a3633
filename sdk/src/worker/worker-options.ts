import type { Client } from "../client/create-client.ts";
import type { ClientCore } from "../client/create-core.ts";
import type { AnyJob } from "../define-job.ts";
import type { Duration } from "../duration.ts";
import type { Middleware } from "../serve/middleware.ts";

/**
 * Options of `createWorker`.
 *
 * @example
 * const options: WorkerOptions = {
 *   jobs: [sendMail],
 *   queues: ["default", "mail"],
 *   concurrency: 20,
 *   name: "mail-1",
 *   labels: { region: "eu" },
 * };
 */
export type WorkerOptions = {
  jobs: readonly AnyJob[];
  /** The queue to serve. Default: `default`. */
  queue?: string;
  /** Several queues, instead of `queue`. */
  queues?: readonly string[];
  /** How many runs are executed at once. Default: 50. */
  concurrency?: number;
  /** Display name in the list of workers, such as the name of the host. */
  name?: string;
  /** Version of your code, shown in the list of workers. */
  version?: string;
  /** Shown in the list of workers. */
  labels?: Record<string, string>;
  /** Client whose service and key are used; the key needs the scope `runs:work`. Default: `baseUrl` and `apiKey`. */
  client?: Client | ClientCore;
  /** Default: MILLRACE_BASE_URL, or http://localhost:8787. */
  baseUrl?: string;
  /** Default: MILLRACE_API_KEY. */
  apiKey?: string;
  /** Interval of heartbeats in milliseconds. A lease lasts 15 s until the first one. Default: 10,000. */
  heartbeatIntervalMs?: number;
  /** False: SIGTERM and SIGINT do not stop the worker. Default: true. */
  handleSignals?: boolean;
  /** Called with errors of jobs, and once when the service cannot be reached. Default: console.error. */
  onError?: (error: unknown) => void;
  /** Runs around every attempt and every step; the first is the outermost. */
  middleware?: readonly Middleware[];
  /** Replaces the global fetch for calls to the service. */
  fetch?: typeof globalThis.fetch;
};

/**
 * Options of `worker.stop`.
 *
 * @example
 * const options: StopOptions = { grace: "10s" };
 * await createWorker({ jobs: [sendMail] }).start().stop(options);
 */
export type StopOptions = {
  /** How long started runs may continue. Those not done by then are released. Default: 30 s. */
  grace?: Duration;
};

/**
 * A worker that claims runs of jobs with `delivery: "pull"`.
 *
 * @example
 * const stopLater = async (worker: Worker) => {
 *   await worker.stop({ grace: "30s" });
 *   console.log("stopped", worker.id);
 * };
 */
export type Worker = {
  /** Unique; new for every worker. */
  readonly id: string;
  /** Claims runs until the worker is stopped. Retries forever while the service is unavailable. */
  start: () => Worker;
  /** Claims nothing more, releases what has not started, and waits for what has. */
  stop: (options?: StopOptions) => Promise<void>;
  /** Resolves when the worker has stopped. */
  readonly stopped: Promise<void>;
};
