import { type RawBuilder, sql } from "kysely";

/**
 * Whether a value is among those of a subquery, by a hash lookup instead of a join. See `README.md`.
 */
export function isAmong(column: string, others: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${sql.ref(column)} in (${others})) is true`;
}
