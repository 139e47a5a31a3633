import { type RawBuilder, sql } from "kysely";
import type { ProjectCtx } from "../context.ts";

/** The column that says to which environment a row belongs. */
const ENVIRONMENT_COLUMN = { environments: "id", api_keys: "environment_id" } as const;

/**
 * The rows of `table` that this caller may see, as a predicate. Every read and every write of one row goes through it,
 * so that a list never shows what a get would refuse. A key bound to an environment sees that environment alone.
 */
export function visible(ctx: ProjectCtx, table: keyof typeof ENVIRONMENT_COLUMN, alias: string): RawBuilder<unknown> {
  const bound = ctx.caller.kind === "api_key" ? ctx.caller.environment_id : null;
  if (bound === null) return sql`true`;
  return sql`${sql.ref(`${alias}.${ENVIRONMENT_COLUMN[table]}`)} = ${bound}`;
}
