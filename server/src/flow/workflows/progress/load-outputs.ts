import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import type { LoadedRun } from "./loaded-run.ts";

/** Loads outputs that will be needed and are not loaded yet. Most were produced in this very pass. */
export async function loadOutputs(
  tx: Ctx & InTransaction,
  wanted: readonly { loaded: LoadedRun; refs: Iterable<string> }[],
): Promise<void> {
  const missing = wanted.flatMap(({ loaded, refs }) =>
    [...refs]
      .filter((step_ref) => !loaded.outputs.has(step_ref))
      .map((step_ref) => ({ project_id: loaded.run.project_id, workflow_run_id: loaded.run.id, step_ref })),
  );
  if (missing.length === 0) return;
  const { rows } = await sql<{ workflow_run_id: string; step_ref: string; output: unknown }>`
    /* prepared */
    select s.workflow_run_id, s.step_ref, s.output
    from json_to_recordset(${JSON.stringify(missing)}::json) as g(project_id uuid, workflow_run_id uuid, step_ref text)
    join step_runs s on s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.step_ref = g.step_ref
    where ${fewRows("g.step_ref")}`.execute(tx.db);
  const loadedRuns = new Map(wanted.map(({ loaded }) => [loaded.run.id, loaded]));
  for (const { workflow_run_id, step_ref, output } of rows)
    loadedRuns.get(workflow_run_id)?.outputs.set(step_ref, output);
}
