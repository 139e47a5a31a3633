/** Timeouts for operations of the database that take milliseconds when it is healthy. */
export type Timeouts = {
  /** Waiting for a connection while all are in use. */
  free_within_ms: number;
  /** Waiting for a connection of a health check. */
  connect_within_ms: number;
  /** Waiting for its response. Then its connection is discarded. */
  query_within_ms: number;
  /** Interval between checks for received bytes. */
  check_every_ms: number;
  /** Waiting for a lock held by another transaction. 0: as long as a statement may take. */
  lock_within_ms: number;
  /** A larger step of the database's clock, compared with that of this process, is a jump. */
  clock_step_ms: number;
};

/** A silent database is detected, and callers get an error, within a second. */
export const TIMEOUTS: Timeouts = {
  free_within_ms: 5_000, // as long as a statement may take
  connect_within_ms: 900,
  query_within_ms: 1_200,
  check_every_ms: 300,
  lock_within_ms: 2_000,
  clock_step_ms: 5_000,
};

/**
 * For services in tests: on a busy machine a healthy database may be silent for seconds, and a lock holder may be
 * delayed as long. Tests move the clock, which means that time has passed.
 */
export const LONG_TIMEOUTS: Timeouts = {
  free_within_ms: 60_000,
  connect_within_ms: 60_000,
  query_within_ms: 60_000,
  check_every_ms: 15_000,
  lock_within_ms: 0,
  clock_step_ms: Number.POSITIVE_INFINITY,
};
