/** The rules of deliveries: how often, how long, how many at once. */

export const MAX_ATTEMPTS = 5;

/** For the whole exchange. */
export const TIMEOUT_MS = 15_000;

/** How long a claim keeps others away: the exchange, and as long again to write what came of it. */
export const CLAIM_SECS = 30;

/** Under way to one host, over all instances. */
export const MOST_PER_HOST = 10;

/** Under way of one project, over all instances: however many receivers it has, half of an instance is left to others. */
export const MOST_PER_PROJECT = 50;

/** Under way from one instance to receivers that are known to answer. */
export const MOST_IN_FLIGHT = 100;

/**
 * Places of their own for receivers that are not: new ones, and those that did not answer in a second the last time.
 * However many of them there are, they cannot take the places of the others.
 */
export const MOST_UNPROVEN = 50;
export const MOST_UNPROVEN_PER_PROJECT = 25;

/** Who has not answered for so long gives up the place to the next who is unproven, and is waited for beside it. */
export const SLOW_AFTER_MS = 1_000;
export const MOST_SLOW = 1_000;

const LONGEST_BACKOFF_SECS = 1_800;

/** How long to wait after this attempt: 5 s, 25 s, 125 s, 625 s, never longer than half an hour. */
export function backoffSecs(attempt: number): number {
  return Math.min(5 ** attempt, LONGEST_BACKOFF_SECS);
}
