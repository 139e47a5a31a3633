import { sql } from "kysely";
import type { ProjectCtx } from "../../../platform/context.ts";

/** The current price of a second of a run. */
export async function readComputeRate(ctx: ProjectCtx): Promise<number> {
  return (await readCostTerms(ctx)).rate;
}

/** The current price, and since when the project could have costs. */
export async function readCostTerms(ctx: ProjectCtx): Promise<{ rate: number; created_ms: number }> {
  const { rows } = await sql<{ rate: number; created_at: string }>`
    select compute_rate_microusd_per_sec as rate, created_at
    from projects where id = ${ctx.project_id}`.execute(ctx.db);
  const [project] = rows;
  return project ? { rate: project.rate, created_ms: Date.parse(project.created_at) } : { rate: 0, created_ms: 0 };
}
