import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";

const STANDARD_ENVIRONMENTS = ["production", "staging", "development"] as const;

/** Every project is created with these. */
export async function insertStandardEnvironments(
  ctx: Ctx & InTransaction,
  project_id: string,
  encrypt: (purpose: string, text: string) => Buffer,
): Promise<void> {
  for (const slug of STANDARD_ENVIRONMENTS) {
    const id = newId();
    const name = slug[0]?.toUpperCase() + slug.slice(1);
    await sql`
      insert into environments (project_id, id, slug, name, is_standard, variables, created_at, updated_at)
      values (${project_id}, ${id}, ${slug}, ${name}, true, ${encrypt(`${id}/variables`, "{}")}, clock(), clock())
    `.execute(ctx.db);
  }
}
