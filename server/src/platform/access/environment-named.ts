import { type RawBuilder, sql } from "kysely";
import type { ProjectCtx } from "../context.ts";
import { isId } from "../ids.ts";

/** The one of `environments e` that has this id or slug. A slug never looks like an id. */
export function environmentNamed(ref: string): RawBuilder<unknown> {
  return isId(ref) ? sql`e.id = ${ref}` : sql`e.slug = ${ref}`;
}

/**
 * The rows of `alias` that are of the environment with this id or slug, with the `and`; without one, all. An id is
 * compared as it is, so that what a deleted environment left is found; a slug that means nothing finds nothing.
 */
export function ofEnvironment(ctx: ProjectCtx, alias: string, ref: string | undefined): RawBuilder<unknown> {
  if (ref === undefined) return sql``;
  const column = sql.ref(`${alias}.environment_id`);
  if (isId(ref)) return sql`and ${column} = ${ref}`;
  return sql`and ${column} = (
    select e.id from environments e where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)})`;
}
