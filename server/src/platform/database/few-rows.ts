import { type RawBuilder, sql } from "kysely";

/**
 * A condition that is always true for a text, but which the planner expects to match one row in two hundred. The
 * planner assumes a hundred rows for a list sent as JSON, and a few more for a table without statistics: it would then
 * read the whole table once instead of looking each row up by key, and keep doing so when the table holds a million. It
 * also protects the plan of a prepared statement: a generic plan whose cost grows with the table looks more expensive
 * than the custom plans made before, and PostgreSQL would keep planning each call.
 */
export function fewRows(column: string): RawBuilder<unknown> {
  return sql`${sql.ref(column)} = ${sql.ref(column)} || ''`;
}
