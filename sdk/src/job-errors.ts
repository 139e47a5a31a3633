import { type Duration, durationSecs } from "./duration.ts";
import { MillraceError } from "./errors.ts";

/** Throw it in a job to fail the run without retries. */
export class NonRetryableError extends MillraceError {
  override name = "NonRetryableError";
  constructor(message: string, { code = "failed", cause }: { code?: string; cause?: unknown } = {}) {
    super(code, message, { cause });
  }
}

/** Throw it in a job to delay the next attempt until the given time, by at most one hour. */
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

/** The run was canceled, or this attempt no longer owns it. The reason of `ctx.signal`. */
export class CanceledError extends MillraceError {
  override name = "CanceledError";
  constructor(message = "The run was canceled.") {
    super("canceled", message);
  }
}

/** The job continued although its run was suspended. */
export class SuspendSwallowedError extends MillraceError {
  override name = "SuspendSwallowedError";
  constructor(wait: string, did: string) {
    super(
      "suspend_swallowed",
      `${wait} suspended the run, and this attempt should have ended there, but the job ${did}. ` +
        "A try/catch around the wait has probably caught the suspension: rethrow it with `if (isSuspend(error)) throw error`, " +
        "or move the wait out of the try block. The run will start from the top when the wait ends.",
    );
  }
}

/** Thrown by a wait to end the attempt. Do not swallow it: see isSuspend. */
export class Suspend extends Error {
  override name = "Suspend";
  readonly wait: string;
  constructor(wait: string) {
    super(`${wait} suspends the run; the job will be called again. Do not catch this.`);
    this.wait = wait;
  }
}

/** Whether a caught error is a suspension, which must be rethrown. */
export function isSuspend(error: unknown): boolean {
  return error instanceof Error && error.name === "Suspend";
}
