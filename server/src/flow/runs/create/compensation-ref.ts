import { type Sql, sql } from "../../../platform/database/sql.ts";

const SUFFIX = ":compensate";

/** The `step_ref` of the run that compensates a step or a map item: no step can have this name. */
export function compensationRef(step_ref: string): string {
  return `${step_ref}${SUFFIX}`;
}

/** Whether a column holds such a `step_ref`. */
export function isCompensation(column: string): Sql<boolean> {
  return sql`coalesce(${sql.ref(column)} like ${sql.lit(`%${SUFFIX}`)}, false)`;
}
