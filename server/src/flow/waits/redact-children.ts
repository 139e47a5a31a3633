import { readDeniedRuns } from "../../platform/access/policies/denied-runs.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { TriggerRow } from "./find-trigger.ts";

type Wait = Pick<TriggerRow, "id" | "wait_kind">;

/** The waits whose child runs policies forbid the caller to read. */
export async function findDeniedWaits(ctx: ProjectCtx, waits: readonly Wait[]): Promise<Set<string>> {
  const ids = waits.flatMap(({ id, wait_kind }) => (wait_kind === "child" ? [id] : []));
  const denied = ids.length === 0 ? undefined : await readDeniedRuns(ctx);
  if (!denied) return new Set();
  const { rows } = await sql<{ id: string }>`
    select t.id from event_triggers t
    where t.project_id = ${ctx.project_id} and t.id = any(${ids}::uuid[]) and ${denied.run(sql`t.child_run_id`)}`.execute(
    ctx.db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The waits without the results of denied children. Status and ids stay. */
export async function redactChildren<Row extends Wait>(ctx: ProjectCtx, rows: readonly Row[]): Promise<Row[]> {
  const denied = await findDeniedWaits(ctx, rows);
  return rows.map((row) => (denied.has(row.id) ? withoutResult(row) : row));
}

export function withoutResult<Row extends Wait>(row: Row): Row {
  return { ...row, payload: null, request_payload: null, error: null };
}
