import { sql } from "kysely";
import type { Ctx } from "../platform/context.ts";

/**
 * Of these runs or workflow runs, those whose data were deleted. What is left of one looks as if it had been started
 * with nothing: only the audit event of the erasure tells them apart. It is kept for AUDIT_RETENTION, by default four
 * times as long as a run.
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
