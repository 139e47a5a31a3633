import type { Cli } from "./cli.ts";

type Query = Record<string, string | number | boolean | undefined>;

/** So many rows of a list, over as many pages as it takes; a page may be short and not be the last. */
export async function takeRows<T>(
  cli: Cli,
  path: string,
  query: Query,
  most: number,
): Promise<{ rows: T[]; hasMore: boolean }> {
  const rows: T[] = [];
  const page = { ...query, limit: Math.min(100, most + 1) };
  for await (const row of cli.client().paginate<T>(path, page, { signal: cli.signal })) {
    if (rows.length === most) return { rows, hasMore: true };
    rows.push(row);
  }
  return { rows, hasMore: false };
}
