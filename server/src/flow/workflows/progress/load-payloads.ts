import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import type { LoadedRun } from "./loaded-run.ts";

/**
 * Loads the large payloads of workflow runs in which templates will be rendered. Small ones were loaded with the run.
 */
export async function loadPayloads(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const missing = new Map(loadedRuns.filter(({ run }) => !run.has_payload).map(({ run }) => [run.id, run]));
  if (missing.size === 0) return;
  const keys = [...missing.values()].map(({ project_id, id }) => ({ project_id, id, one: "" }));
  const { rows } = await sql<{ id: string; payload: unknown }>`
    /* prepared */
    select w.id, w.payload
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id uuid, one text)
    join workflow_runs w on w.project_id = g.project_id and w.id = g.id
    where ${fewRows("g.one")}`.execute(tx.db);
  for (const { id, payload } of rows) Object.assign(missing.get(id) ?? {}, { payload, has_payload: true });
}
