import type { QueryValue } from "./send.ts";

/**
 * One page of a list.
 *
 * @example
 * const first: Page<Run> = await client.runs.list({ limit: 20 }).page();
 * const second = first.next_cursor === null ? undefined : await client.runs.list({ limit: 20 }).page(first.next_cursor);
 */
export type Page<T> = { data: T[]; has_more: boolean; next_cursor: string | null };

type Get = (
  path: string,
  options: { query: Record<string, QueryValue>; signal?: AbortSignal | undefined },
) => Promise<unknown>;

/** Iterates over a paginated list. An empty page is not necessarily the last. */
export async function* paginate<T>(
  get: Get,
  path: string,
  query: Readonly<Record<string, QueryValue>> = {},
  signal?: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let cursor = query.cursor;
  for (;;) {
    const page = (await get(path, { query: { ...query, cursor }, ...(signal && { signal }) })) as Page<T>;
    yield* page.data;
    if (!page.has_more || page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}
