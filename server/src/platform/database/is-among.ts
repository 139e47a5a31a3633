import { type RawBuilder, sql } from "kysely";

/**
 * Whether a value is among those of a part of the statement. As a join the planner would go through all of that part for
 * each row, since it expects few: of 500 a quarter of a million comparisons. In this form it looks them up by their hash.
 */
export function isAmong(column: string, others: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${sql.ref(column)} in (${others})) is true`;
}
