import { sql } from "kysely";
import type { ProjectCtx } from "../context.ts";
import { invalid } from "../errors/errors.ts";
import { boundEnvironment } from "./bound-environment.ts";
import { environmentNamed } from "./environment-named.ts";

/**
 * The environment that a trigger names, else the caller's own. Null: filled in later from the triggered job or
 * workflow.
 */
export async function readRequestedEnvironment(
  ctx: ProjectCtx,
  named: string | undefined,
  at: string,
): Promise<string | null> {
  const bound = boundEnvironment(ctx.caller);
  if (named === undefined || named === bound) return bound;
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
