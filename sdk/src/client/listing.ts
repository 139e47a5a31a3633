import type { Page } from "./paginate.ts";

/** A list: every row with `for await`, or one page at a time. */
export type Listing<T> = AsyncIterable<T> & {
  /** The page at a cursor; the first without one. */
  page: (cursor?: string) => Promise<Page<T>>;
  /** The rows as an array, `most` at most. */
  all: (most?: number) => Promise<T[]>;
};

export function listing<T>(
  rows: () => AsyncGenerator<T, void, undefined>,
  page: (cursor?: string) => Promise<Page<T>>,
): Listing<T> {
  return {
    [Symbol.asyncIterator]: rows,
    page,
    all: async (most = Number.POSITIVE_INFINITY) => {
      const found: T[] = [];
      if (most <= 0) return found;
      for await (const row of rows()) if (found.push(row) >= most) break;
      return found;
    },
  };
}
