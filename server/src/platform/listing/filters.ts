import { parseTag } from "@millrace/contract/query-language/tag-filter";
import { type Sql, sql } from "../database/sql.ts";
import { invalid } from "../errors/errors.ts";
import { parseJson } from "../json/parse-json.ts";
import { parseInstant } from "../time/instant.ts";

/** Whether rows of `alias` have the tag of a filter. */
export function hasTag(alias: string, tag: string): Sql {
  const { key, value } = parseTag(tag);
  const tags = sql.ref(`${alias}.tags`);
  return value === null ? sql`${tags} ? ${key}` : sql`${tags} @> ${JSON.stringify({ [key]: value })}::jsonb`;
}

/** JSON in a query parameter, parsed as strictly as a body: nothing is rounded or replaced. */
export function readContained(location: string, text: string): unknown {
  const parsed = parseJson(text, { root: location });
  if (parsed.ok) return parsed.value;
  throw invalid(parsed.problem.location, parsed.problem.message, text);
}

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
