import { sql } from "kysely";
import type { ProjectCtx } from "../context.ts";
import { visible } from "./visibility.ts";

/** Whether the caller can see such an environment, to name it in something else. */
export async function hasEnvironment(ctx: ProjectCtx, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from environments e
    where e.project_id = ${ctx.project_id} and e.id = ${id} and ${visible(ctx, "environments", "e")}`.execute(ctx.db);
  return rows.length > 0;
}
