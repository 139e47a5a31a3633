import { parseInstant } from "../time/instant.ts";

/** The filters of a list without paging, with `from` and `to` parsed as instants. */
export function readSpan<Q extends { from?: string; to?: string; limit?: number; cursor?: string; order?: string }>(
  query: Q,
): Omit<Q, "limit" | "cursor" | "order"> {
  const { limit: _limit, cursor: _cursor, order: _order, ...filter } = query;
  return {
    ...filter,
    ...(query.from !== undefined && { from: parseInstant("query.from", query.from) }),
    ...(query.to !== undefined && { to: parseInstant("query.to", query.to) }),
  };
}
