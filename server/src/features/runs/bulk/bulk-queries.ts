import { sql } from "kysely";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { FoundRun } from "./bulk-walk.ts";

/** Finds the named runs that the caller may see. */
export async function findNamed(ctx: ProjectCtx, run_ids: readonly string[]): Promise<Map<string, FoundRun>> {
  const { rows } = await sql<FoundRun>`
    select r.id, r.workflow_run_id from runs r
    where r.project_id = ${ctx.project_id} and r.id = any(${[...run_ids]}::uuid[])
      and ${visible(ctx, "runs", "r")}`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}
