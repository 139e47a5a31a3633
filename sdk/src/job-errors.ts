import { type Duration, durationSecs } from "./duration.ts";
import { MillraceError } from "./errors.ts";

/**
 * Throw it in a job to fail the run without retries.
 *
 * @example
 * export const refund = defineJob({
 *   id: "refund",
 *   run: (payload: { cents: number }) => {
 *     if (payload.cents <= 0) throw new NonRetryableError("Nothing to refund.", { code: "no_amount" });
 *   },
 * });
 */
export class NonRetryableError extends MillraceError {
  override name = "NonRetryableError";
  constructor(message: string, { code = "failed", cause }: { code?: string; cause?: unknown } = {}) {
    super(code, message, { cause });
  }
}

/**
 * Throw it in a job to delay the next attempt until the given time, by at most one hour.
 *
 * @example
 * export const poll = defineJob({
 *   id: "poll",
 *   run: async (payload: { url: string }) => {
 *     const response = await fetch(payload.url);
 *     if (response.status === 503) throw new RetryAfterError("10m", "The provider is closed.");
 *     return response.text();
 *   },
 * });
 */
export class RetryAfterError extends MillraceError {
  override name = "RetryAfterError";
  readonly retryAfterSecs: number;
  constructor(when: Duration | Date | number, message = "The job asked to be retried later.", cause?: unknown) {
    super("retry_later", message, { retryable: true, cause });
    this.retryAfterSecs = Math.min(3_600, Math.max(0, Math.ceil(secsUntil(when))));
  }
}

function secsUntil(when: Duration | Date | number): number {
  if (typeof when === "number") return when;
  return when instanceof Date ? (when.getTime() - Date.now()) / 1_000 : durationSecs(when);
}

/**
 * The run was canceled, or this attempt no longer owns it. The reason of `ctx.signal`.
 *
 * @example
 * export const convert = defineJob({
 *   id: "convert",
 *   run: async (payload: { urls: string[] }, ctx) => {
 *     for (const url of payload.urls) {
 *       if (ctx.signal.reason instanceof CanceledError) return;
 *       await fetch(url, { signal: ctx.signal });
 *     }
 *   },
 * });
 */
export class CanceledError extends MillraceError {
  override name = "CanceledError";
  constructor(message = "The run was canceled.") {
    super("canceled", message);
  }
}

/**
 * The job went on although its run was suspended. Passed to `onError`; the run stays suspended.
 *
 * @example
 * await listen({
 *   jobs: [sendMail],
 *   onError: (error) => console.error(error instanceof SuspendSwallowedError ? `Fix this catch: ${error.message}` : error),
 * });
 */
export class SuspendSwallowedError extends MillraceError {
  override name = "SuspendSwallowedError";
  constructor({ wait, place }: Pick<Suspend, "wait" | "place">, did: string) {
    super(
      "suspend_swallowed",
      `${wait}${place === undefined ? "" : ` at ${place}`} suspended the run, which ends this attempt, but the job ` +
        `went on and ${did}. The run stays suspended: this result is discarded, and the job will be called again ` +
        "from the top when the wait ends. Rethrow a caught suspension with `if (isSuspend(error)) throw error`, move " +
        "the wait out of the try block, or use Promise.all instead of Promise.allSettled.",
    );
  }
}

/** Thrown by a wait to end the attempt, and again by every later call of `ctx`. */
export class Suspend extends Error {
  override name = "Suspend";
  readonly wait: string;
  /** Where the job called the wait. */
  readonly place: string | undefined;
  /** What the job did although the suspension had been thrown before. */
  readonly did: string | undefined;
  constructor(wait: string, place: string | undefined, did?: string) {
    super(`${wait} suspends the run; the job will be called again. Do not catch this.`);
    this.wait = wait;
    this.place = place;
    this.did = did;
  }
}

/**
 * Whether a caught error is a suspension, which must be rethrown.
 *
 * @example
 * export const review = defineJob({
 *   id: "review",
 *   run: async (payload: { id: string }, ctx) => {
 *     try {
 *       return await ctx.waitForEvent(approved(payload), { timeout: "24h" });
 *     } catch (error) {
 *       if (isSuspend(error)) throw error;
 *       return { by: "nobody" };
 *     }
 *   },
 * });
 */
export function isSuspend(error: unknown): boolean {
  return error instanceof Error && error.name === "Suspend";
}
