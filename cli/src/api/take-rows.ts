import type { Cli } from "../cli.ts";

type Query = Record<string, string | number | boolean | undefined>;

/** Reads up to `max` rows of a list over several pages. A short page is not necessarily the last. */
export async function takeRows<T>(
  cli: Cli,
  path: string,
  query: Query,
  max: number,
): Promise<{ rows: T[]; hasMore: boolean }> {
  const rows: T[] = [];
  const page = { ...query, limit: Math.min(100, max + 1) };
  for await (const row of cli.client().paginate<T>(path, page, { signal: cli.signal })) {
    if (rows.length === max) return { rows, hasMore: true };
    rows.push(row);
  }
  return { rows, hasMore: false };
}
