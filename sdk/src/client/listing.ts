import type { Page } from "./http/paginate.ts";

/**
 * A paginated list. Iterate over all rows with `for await`, or read one page at a time.
 *
 * @example
 * const failed: Listing<Run> = client.runs.list({ status: "failed" });
 * for await (const run of failed) console.log(run.id);
 * const newest = await failed.all(10);
 */
export type Listing<T> = AsyncIterable<T> & {
  /** Reads the page at a cursor, or the first page. */
  page: (cursor?: string) => Promise<Page<T>>;
  /** Collects the rows into an array, up to `max`. */
  all: (max?: number) => Promise<T[]>;
};

export function listing<T>(
  rows: () => AsyncGenerator<T, void, undefined>,
  page: (cursor?: string) => Promise<Page<T>>,
): Listing<T> {
  return {
    [Symbol.asyncIterator]: rows,
    page,
    all: async (max = Number.POSITIVE_INFINITY) => {
      const found: T[] = [];
      if (max <= 0) return found;
      for await (const row of rows()) if (found.push(row) >= max) break;
      return found;
    },
  };
}
