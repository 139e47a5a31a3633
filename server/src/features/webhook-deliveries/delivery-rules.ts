/** Limits of deliveries: attempts, timeouts, concurrency. */

export const MAX_ATTEMPTS = 5;

/** For the whole exchange. */
export const TIMEOUT_MS = 15_000;

/** Duration of a claim: the exchange, and as long again to write its result. */
export const CLAIM_SECS = 30;

/** In flight to one host, across all instances. */
export const MAX_PER_HOST = 10;

/**
 * In flight for one project, across all instances: with any number of receivers, half of an instance's capacity is left
 * to others.
 */
export const MAX_PER_PROJECT = 50;

/** In flight from one instance to proven receivers. */
export const MAX_IN_FLIGHT = 100;

/**
 * Separate slots for unproven receivers: new ones, and those that did not respond within a second the last time.
 * However many there are, they cannot take the slots of the others.
 */
export const MAX_UNPROVEN = 50;
export const MAX_UNPROVEN_PER_PROJECT = 25;

/**
 * After this time without a response, a delivery releases its slot to the next unproven receiver, and stays in flight.
 */
export const SLOW_AFTER_MS = 1_000;
export const MAX_SLOW = 1_000;

const MAX_BACKOFF_SECS = 1_800;

/** The backoff after this attempt: 5 s, 25 s, 125 s, 625 s, at most half an hour. */
export function backoffSecs(attempt: number): number {
  return Math.min(5 ** attempt, MAX_BACKOFF_SECS);
}
