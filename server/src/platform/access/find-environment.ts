import { sql } from "kysely";
import type { ProjectCtx } from "../context.ts";
import { environmentNamed } from "./environment-named.ts";
import { visible } from "./visibility.ts";

/** The id of an environment that the caller can see, by its id or slug, to name it in something else. */
export async function findEnvironment(ctx: ProjectCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select e.id from environments e
    where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)} and ${visible(ctx, "environments", "e")}`.execute(
    ctx.db,
  );
  return rows[0]?.id;
}
