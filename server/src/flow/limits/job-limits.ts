import { createHash } from "node:crypto";
import { sql } from "../../platform/database/sql.ts";
import { renderText } from "../templates/render-template.ts";

/** The current limits of a job and of its queue. */
export type JobLimits = QueueLimits & {
  job_id: string;
  is_paused: boolean;
  max_concurrency: number | null;
  max_concurrency_per_key: number | null;
  rate_limit_max: number | null;
  rate_limit_window_secs: number | null;
  rate_limit_keys: { name: string; key: string; max: number; window_secs: number }[];
};

/** All null: the queue has no limits. */
type QueueLimits = {
  queue: string;
  is_queue_paused: boolean;
  queue_max_concurrency: number | null;
  queue_rate_limit_max: number | null;
  queue_rate_limit_window_secs: number | null;
};

/** The columns of `QueueLimits`, of `jobs j` and `queues k`, which may be missing. */
export const QUEUE_LIMITS = sql`j.queue, k.paused_at is not null as is_queue_paused, k.max_concurrency as queue_max_concurrency,
  k.rate_limit_max as queue_rate_limit_max, k.rate_limit_window_secs as queue_rate_limit_window_secs`;

/** What a run brings to its limits: keys, some of them rendered from its payload. */
type KeyedRun = { concurrency_key: string | null; payload: unknown };

/** The limits that must admit a run. */
export type RunLimits = {
  /** Concurrency counters in which it needs a slot. */
  slots: { key: string; max: number }[];
  /** Rate windows that count it. */
  rates: { key: string; max: number }[];
};

const MAX_KEY_LENGTH = 200; // an index entry holds 2.7 kB; longer keys are distinguished by their hash

/**
 * From narrow to wide: a run that its job or key refuses does not wait for the limits of the whole queue. A named limit
 * whose key cannot be rendered from the payload does not apply to the run.
 */
export function limitsOf(run: KeyedRun, job: JobLimits): RunLimits {
  return {
    slots: [...jobSlot(job), ...keySlot(job, run), ...queueSlot(job)],
    rates: windowsOf(run, job).map(({ key, max }) => ({ key, max })),
  };
}

export function neededLimits({ slots, rates }: RunLimits): string[] {
  return [...slots, ...rates].map(({ key }) => key);
}

/** The limits shared by all runs of a job, a queue, or a key, whether or not they are set. */
export function commonLimits(run: { job_id: string; concurrency_key: string | null; queue: string }): string[] {
  const { job_id, concurrency_key, queue } = run;
  const ofKey = concurrency_key === null ? [] : [keyOf(job_id, concurrency_key)];
  return [jobSlotKey(job_id), flatRateKey(job_id), ...ofKey, ...queueLimitKeys(queue)];
}

/**
 * The limits that not all competing runs share, in the order of their keys: those in which a starving run may keep a
 * slot. If all runs need the same limit, their rank is enough. With a limit of the queue, they
 * compete with runs of other jobs, which do not need this job's limits.
 */
export function partialLimits(run: KeyedRun, job: JobLimits): string[] {
  const hasQueueLimit = job.queue_max_concurrency !== null || job.queue_rate_limit_max !== null;
  const ofJob = hasQueueLimit ? [...jobSlot(job), ...flatRate(job)] : [];
  return [...ofJob, ...keySlot(job, run), ...namedRates(job, run)].map(({ key }) => key).sort();
}

/** The limits that depend on the payload of the run. */
export function namedLimits(run: KeyedRun, job: JobLimits): string[] {
  return namedRates(job, run).map(({ key }) => key);
}

/** Every window that counts the run, with its length. */
export function windowsOf(run: KeyedRun, job: JobLimits): { key: string; max: number; window_secs: number }[] {
  return [...flatRate(job), ...namedRates(job, run), ...queueRate(job)];
}

/** The counter of a job's `max_concurrency`. */
export function jobSlotKey(job_id: string): string {
  return `job:${job_id}`;
}

function jobSlot({ job_id, max_concurrency: max }: JobLimits) {
  return max === null ? [] : [{ key: jobSlotKey(job_id), max }];
}

function queueSlot({ queue, queue_max_concurrency: max }: QueueLimits) {
  return max === null ? [] : [{ key: queueSlotKey(queue), max }];
}

function queueSlotKey(queue: string): string {
  return `queue:${queue}`;
}

function queueRate({ queue, queue_rate_limit_max: max, queue_rate_limit_window_secs: window_secs }: QueueLimits) {
  return max === null || window_secs === null ? [] : [{ key: queueRateKey(queue), max, window_secs }];
}

const QUEUE_RATE = "queue_rate:";

function queueRateKey(queue: string): string {
  return `${QUEUE_RATE}${queue}`;
}

/** The keys of a queue's limits, whether or not they are set. */
export function queueLimitKeys(queue: string): string[] {
  return [queueSlotKey(queue), queueRateKey(queue)];
}

/** The queue whose rate limit a window counts. Undefined: it is a limit of a job. */
export function queueOfWindow(key: string): string | undefined {
  return key.startsWith(QUEUE_RATE) ? key.slice(QUEUE_RATE.length) : undefined;
}

function keySlot({ job_id, max_concurrency_per_key: max }: JobLimits, { concurrency_key }: KeyedRun) {
  return max === null || concurrency_key === null ? [] : [{ key: keyOf(job_id, concurrency_key), max }];
}

function keyOf(job_id: string, concurrency_key: string): string {
  return `key:${job_id}:${short(concurrency_key)}`;
}

function flatRate({ job_id, rate_limit_max: max, rate_limit_window_secs: window_secs }: JobLimits) {
  return max === null || window_secs === null ? [] : [{ key: flatRateKey(job_id), max, window_secs }];
}

function flatRateKey(job_id: string): string {
  return `rate:${job_id}::`;
}

/** The limit of a window by its key. Undefined: the job no longer has it. */
export function rateOfWindow(key: string, job: JobLimits): { max: number; window_secs: number } | undefined {
  if (queueOfWindow(key) !== undefined) return queueRate(job)[0];
  if (key === flatRateKey(job.job_id)) return flatRate(job)[0];
  return job.rate_limit_keys.find(({ name }) => key.startsWith(`rate:${job.job_id}:${name}:`));
}

/** Cached: a claim needs it several times, and a key may be rendered from a megabyte. */
const rendered = new WeakMap<KeyedRun, { job: JobLimits; rates: ReturnType<typeof renderRates> }>();

function namedRates(job: JobLimits, run: KeyedRun) {
  const known = rendered.get(run);
  if (known?.job === job) return known.rates;
  const rates = renderRates(job, run);
  rendered.set(run, { job, rates });
  return rates;
}

function renderRates({ job_id, rate_limit_keys }: JobLimits, { payload }: KeyedRun) {
  return rate_limit_keys.flatMap(({ name, key, max, window_secs }) => {
    const text = renderText(key, { payload });
    return text.ok ? [{ key: `rate:${job_id}:${name}:${short(text.value)}`, max, window_secs }] : [];
  });
}

function short(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : `sha256-${createHash("sha256").update(key).digest("hex")}`;
}
