import { type Sql, sql } from "./sql.ts";

/**
 * A condition: a row has the key of a row of a list, `project_id` and the columns named. Each is looked up by its key,
 * whatever the planner's estimates. See `README.md`.
 */
export function hasKeyOf(row: string, given: string, ...columns: [string, ...string[]]): Sql {
  const equal = columns.map((name) => sql`${sql.ref(`${row}.${name}`)} = ${sql.ref(`${given}.${name}`)}`);
  const project = sql`${sql.ref(`${row}.project_id`)} = any(array[${sql.ref(`${given}.project_id`)}])`;
  return sql.join([project, ...equal], sql` and `);
}
