/** How long is waited for the database, and within it, for what a healthy one does in milliseconds. */
export type Timeouts = {
  /** For a connection while all are in use. */
  free_within_ms: number;
  /** For a connection of a health check. */
  connect_within_ms: number;
  /** For its answer. Then its connection is thrown away. */
  answer_within_ms: number;
  /** Between two looks whether anything at all was heard of it. */
  look_every_ms: number;
  /** For a lock that another holds. 0: as long as a statement may take. */
  lock_within_ms: number;
};

/** A silent database is noticed, and callers told, within a second. */
export const TIMEOUTS: Timeouts = {
  free_within_ms: 5_000, // as long as a statement may take
  connect_within_ms: 900,
  answer_within_ms: 1_200,
  look_every_ms: 300,
  lock_within_ms: 2_000,
};

/**
 * Of services that tests are made with: on a busy machine a database may be silent for seconds and still be there, and
 * whoever holds a lock may be held up as long.
 */
export const LONG_TIMEOUTS: Timeouts = {
  free_within_ms: 60_000,
  connect_within_ms: 60_000,
  answer_within_ms: 60_000,
  look_every_ms: 15_000,
  lock_within_ms: 0,
};
