/** A map step while its workflow run is progressed: written with its items, under the lock of the run. */
export type LoadedMap = {
  /** What the payload of its items reads in addition to the item. */
  scope: Record<string, unknown>;
  total: number;
  pending: number;
  running: number;
  failed: number;
  /** No item before it is pending. */
  next_index: number;
};
