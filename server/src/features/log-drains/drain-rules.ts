/** A request carries at most this. A single record may be larger than the bytes, and goes alone. */
export const MOST_RECORDS = 1_000;
export const MOST_BYTES = 1_000_000;

/** What waits longer than this is given up, the newest `KEPT_RECORDS` aside. */
export const KEPT_SECS = 3_600;
export const KEPT_RECORDS = 100_000;

export const TIMEOUT_MS = 15_000;
/** Longer than a request takes: whoever lets it pass has fallen silent. */
export const CLAIM_SECS = 45;
/** From one look at an empty log to the next. */
export const REST_SECS = 1;
/** Requests under way at once, each of another drain. */
export const MOST_AT_ONCE = 32;
/** A record that the receiver refuses alone so many times is passed over. */
export const REFUSALS_OF_ONE = 5;

const FIRST_PAUSE_SECS = 1;
const LONGEST_PAUSE_SECS = 300;

export function backoffSecs(failures: number): number {
  return Math.min(FIRST_PAUSE_SECS * 2 ** Math.min(failures - 1, 20), LONGEST_PAUSE_SECS);
}
