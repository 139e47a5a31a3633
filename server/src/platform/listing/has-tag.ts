import { parseTag } from "@millrace/contract/tag-filter";
import { type RawBuilder, sql } from "kysely";

/** Whether rows of `alias` have the tag of a filter. */
export function hasTag(alias: string, tag: string): RawBuilder<unknown> {
  const { key, value } = parseTag(tag);
  const tags = sql.ref(`${alias}.tags`);
  return value === null ? sql`${tags} ? ${key}` : sql`${tags} @> ${JSON.stringify({ [key]: value })}::jsonb`;
}
