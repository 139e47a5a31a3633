import { type Sql, sql } from "./sql.ts";

/**
 * A condition that is always true for a text, but which the planner expects to match one row in two hundred: rows are
 * looked up by key, and the generic plan of a prepared statement is kept. See `README.md`.
 */
export function fewRows(column: string): Sql {
  return sql`${sql.ref(column)} = ${sql.ref(column)} || ''`;
}
