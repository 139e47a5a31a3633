import type { Caller, ProjectCtx } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";
import { ApiError, invalid } from "../errors/errors.ts";
import { isId } from "../ids.ts";

/** The one environment that a caller is bound to; null: the caller may use all of the project. */
export function boundEnvironment(caller: Caller): string | null {
  return caller.kind === "api_key" ? caller.environment_id : null;
}

/** For objects shared by all environments: a caller bound to one environment could act in the others through them. */
export function refuseBoundKey(caller: Caller, what: string): void {
  if (boundEnvironment(caller) === null) return;
  throw new ApiError("forbidden", `This key is bound to one environment; ${what} shared by the whole project.`);
}

/** The row of `environments e` with this id or slug. A slug never looks like an id. */
export function environmentNamed(ref: string): Sql {
  return isId(ref) ? sql`e.id = ${ref}` : sql`e.slug = ${ref}`;
}

/**
 * Restricts `alias` to the environment with this id or slug, including the `and`; without one, no restriction. Ids are
 * compared directly, so rows of a deleted environment are still found; an unknown slug finds nothing.
 */
export function ofEnvironment(ctx: ProjectCtx, alias: string, ref: string | undefined): Sql {
  if (ref === undefined) return sql``;
  const column = sql.ref(`${alias}.environment_id`);
  if (isId(ref)) return sql`and ${column} = ${ref}`;
  return sql`and ${column} = (
    select e.id from environments e where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)})`;
}

/**
 * The environment that a trigger names, else the caller's own. Null: filled in later from the triggered job or
 * workflow.
 */
export function readRequestedEnvironment(
  ctx: ProjectCtx,
  named: string | undefined,
  at: string,
): string | null | Promise<string> {
  const bound = boundEnvironment(ctx.caller);
  return named === undefined || named === bound ? bound : readNamedEnvironment(ctx, named, bound, at);
}

async function readNamedEnvironment(ctx: ProjectCtx, named: string, bound: string | null, at: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select e.id from environments e
    where e.project_id = ${ctx.project_id} and ${environmentNamed(named)}`.execute(ctx.db);
  const found = rows[0]?.id;
  if (found === undefined || (bound !== null && found !== bound)) {
    const whose = bound === null ? "" : " that the key may use";
    throw invalid(`${at}.environment_id`, `is not an environment of this project${whose}`, named);
  }
  return found;
}
