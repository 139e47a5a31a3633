import { type Duration, durationSecs } from "./duration.ts";
import { MillraceError } from "./errors.ts";

/** Thrown by a job: no further attempt can help. */
export class NonRetryableError extends MillraceError {
  override name = "NonRetryableError";
  constructor(message: string, { code = "failed", cause }: { code?: string; cause?: unknown } = {}) {
    super(code, message, { cause });
  }
}

/** Thrown by a job: try again, but not before then. An hour at most. */
export class RetryAfterError extends MillraceError {
  override name = "RetryAfterError";
  readonly retryAfterSecs: number;
  constructor(when: Duration | Date | number, message = "The job asked to be tried again later.", cause?: unknown) {
    super("retry_later", message, { retryable: true, cause });
    this.retryAfterSecs = Math.min(3_600, Math.max(0, Math.ceil(secsUntil(when))));
  }
}

function secsUntil(when: Duration | Date | number): number {
  if (typeof when === "number") return when;
  return when instanceof Date ? (when.getTime() - Date.now()) / 1_000 : durationSecs(when);
}

/** The run was canceled, or taken from this attempt: the reason of `ctx.signal`. */
export class CanceledError extends MillraceError {
  override name = "CanceledError";
  constructor(message = "The run was canceled.") {
    super("canceled", message);
  }
}

/** The job went on although the run had been suspended. */
export class SuspendSwallowedError extends MillraceError {
  override name = "SuspendSwallowedError";
  constructor(wait: string, did: string) {
    super(
      "suspend_swallowed",
      `${wait} suspended the run, and this attempt should have ended there, but the job ${did}. ` +
        "A try/catch around the wait has probably caught the suspension: let it through with `if (isSuspend(error)) throw error`, " +
        "or put the try/catch around less. The run goes on from the top when what it waits for is there.",
    );
  }
}

/** What a wait throws to end the attempt. Not to be caught: see isSuspend. */
export class Suspend extends Error {
  override name = "Suspend";
  readonly wait: string;
  constructor(wait: string) {
    super(`${wait} suspends the run; the job is called again. Do not catch this.`);
    this.wait = wait;
  }
}

/** For a catch that must let a suspension through. */
export function isSuspend(error: unknown): boolean {
  return error instanceof Error && error.name === "Suspend";
}
