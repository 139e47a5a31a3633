import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import type { CompensationStatus } from "../compensate/compensate-types.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";
import type { LoadedStep } from "./loaded-run.ts";

const SMALL_BYTES = 1_000;

export type StepRow = Omit<LoadedStep, "was" | "ended" | "compensation"> & {
  compensation_status: CompensationStatus | null;
  compensation_run_id: string | null;
  workflow_run_id: string;
  step_ref: string;
  ended_status: NonNullable<LoadedStep["ended"]>["status"] | null;
  output: unknown;
  has_output: boolean;
  result: unknown;
  run_error: NonNullable<LoadedStep["ended"]>["error"];
};

/**
 * Only the end of a run is read, and an end never changes: it needs no lock. Small outputs are included; large ones are
 * read when they are needed. Each run is looked up by its key (`offset 0`): otherwise a plan that was prepared on a
 * small table would read the whole table every time.
 */
export async function readSteps(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): Promise<StepRow[]> {
  const { rows } = await sql<StepRow>`
    /* prepared */
    select s.*, r.status as ended_status, r.result, r.error as run_error
    from (
      select project_id, workflow_run_id::uuid from json_to_recordset(${JSON.stringify(keys)}::json)
        as g(project_id uuid, workflow_run_id text) where ${fewRows("g.workflow_run_id")}
    ) g, lateral (
      select s.project_id, s.workflow_run_id, s.step_ref, s.id, s.status, s.generation, s.error, s.cause, s.cause_ref,
        s.run_id, s.event_trigger_id, s.child_workflow_run_id, s.completion, s.compensation_status, s.compensation_run_id,
        case when x.has_output then s.output end as output, x.has_output
      from step_runs s, lateral (
        select s.status = 'completed' and coalesce(pg_column_size(s.output), 0) <= ${SMALL_BYTES} as has_output
      ) x
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id order by s.position
    ) s
    left join lateral (
      select r.status, r.result, r.error from runs r
      where (s.status = 'running' or s.compensation_status = 'running') and r.project_id = s.project_id
        and r.finished_at is not null and r.id = case when s.status = 'running' then s.run_id
          when s.compensation_status = 'running' then s.compensation_run_id end
      offset 0
    ) r on true`.execute(tx.db);
  return rows;
}
