import type { Range } from "./range.ts";

/** One row for each bucket of a range: the given rows, and `empty` for the others. */
export function fillTimes<T extends object>(
  { from_ms, to_ms, bucket_ms }: Range,
  rows: readonly (T & { starts_at: string })[],
  empty: T,
): (T & { starts_at: string })[] {
  const found = new Map(rows.map((row) => [Date.parse(row.starts_at), row]));
  const count = Math.ceil((to_ms - from_ms) / bucket_ms);
  return Array.from({ length: count }, (_, nth) => {
    const at_ms = from_ms + nth * bucket_ms;
    return found.get(at_ms) ?? { ...empty, starts_at: new Date(at_ms).toISOString() };
  });
}
