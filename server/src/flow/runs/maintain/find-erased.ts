import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";

/**
 * Returns the runs or workflow runs whose data were erased. An erased run looks as if it had been started with no
 * input: only the audit event of the erasure distinguishes them. It is kept for AUDIT_RETENTION, by default four times
 * as long as a run.
 */
export async function findErased(
  ctx: Ctx,
  project_id: string,
  kind: "run" | "workflow_run",
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select e.id from unnest(${[...ids]}::text[]) as g(id), lateral (
      select e.resource_id as id from audit_events e
      where e.project_id = ${project_id} and e.resource_type = ${kind} and e.resource_id = g.id
        and e.action = ${`${kind}.data_deleted`} limit 1
    ) e`.execute(ctx.db);
  return new Set(rows.map(({ id }) => id));
}
