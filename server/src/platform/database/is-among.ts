import { type Sql, sql } from "./sql.ts";

/**
 * Whether a value is among those of a subquery, by a hash lookup instead of a join. See `README.md`.
 */
export function isAmong(column: string, others: Sql): Sql {
  return sql`(${sql.ref(column)} in (${others})) is true`;
}
