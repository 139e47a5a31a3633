/** Limits of a request. A single record may exceed the bytes, and is then sent alone. */
export const MAX_RECORDS = 1_000;
export const MAX_BYTES = 1_000_000;

/** Records that wait longer than this are dropped, except the newest `MIN_KEPT_RECORDS`. */
export const MAX_AGE_SECS = 3_600;
export const MIN_KEPT_RECORDS = 100_000;

export const TIMEOUT_MS = 15_000;
/** Longer than a request takes: an instance that exceeds it has stopped responding. */
export const CLAIM_SECS = 45;
/** From having sent everything to the next read. */
export const IDLE_POLL_SECS = 1;
/** Concurrent requests, each for a different drain. */
export const MAX_CONCURRENT = 32;
/** A record that the receiver rejects alone this many times is skipped. */
export const MAX_REFUSALS_PER_RECORD = 5;

const FIRST_PAUSE_SECS = 1;
const MAX_PAUSE_SECS = 300;

export function backoffSecs(failures: number): number {
  return Math.min(FIRST_PAUSE_SECS * 2 ** Math.min(failures - 1, 20), MAX_PAUSE_SECS);
}
