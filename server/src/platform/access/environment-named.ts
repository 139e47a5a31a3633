import { type RawBuilder, sql } from "kysely";
import type { ProjectCtx } from "../context.ts";
import { isId } from "../ids.ts";

/** The row of `environments e` with this id or slug. A slug never looks like an id. */
export function environmentNamed(ref: string): RawBuilder<unknown> {
  return isId(ref) ? sql`e.id = ${ref}` : sql`e.slug = ${ref}`;
}

/**
 * Restricts `alias` to the environment with this id or slug, including the `and`; without one, no restriction. Ids are
 * compared directly, so rows of a deleted environment are still found; an unknown slug finds nothing.
 */
export function ofEnvironment(ctx: ProjectCtx, alias: string, ref: string | undefined): RawBuilder<unknown> {
  if (ref === undefined) return sql``;
  const column = sql.ref(`${alias}.environment_id`);
  if (isId(ref)) return sql`and ${column} = ${ref}`;
  return sql`and ${column} = (
    select e.id from environments e where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)})`;
}
