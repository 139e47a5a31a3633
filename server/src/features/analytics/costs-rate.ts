import { sql } from "kysely";
import type { ProjectCtx } from "../../platform/context.ts";

/** What a second of a run costs now. */
export async function readComputeRate(ctx: ProjectCtx): Promise<number> {
  const { rows } = await sql<{ rate: number }>`
    select compute_rate_microusd_per_sec as rate from projects where id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0]?.rate ?? 0;
}
