import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { RUN_COLUMNS, type RunRow } from "./run-columns.ts";

export async function readRun(ctx: Ctx, project_id: string, run_id: string): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r where r.project_id = ${project_id} and r.id = ${run_id}`.execute(ctx.db);
  return rows[0];
}
