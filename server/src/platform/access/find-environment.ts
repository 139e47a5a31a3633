import { sql } from "kysely";
import type { ProjectCtx } from "../context.ts";
import { environmentNamed } from "./environment-named.ts";
import { visible } from "./policies/visibility.ts";

/** Returns the id of an environment that the caller can see, by id or slug, for use as a reference. */
export async function findEnvironment(ctx: ProjectCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select e.id from environments e
    where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)} and ${visible(ctx, "environments", "e")}`.execute(
    ctx.db,
  );
  return rows[0]?.id;
}
