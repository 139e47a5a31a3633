import type { StepRun } from "@millrace/contract/workflows/step-runs";
import { sql } from "../../platform/database/sql.ts";

export type StepRunRow = Omit<StepRun, "$schema">;

/** Of `step_runs s`, without the output, which may be large. */
export const STEP_RUN_OUTLINE = sql`s.id, s.workflow_run_id, s.step_ref, s.type, s.status, s.generation, s.error,
  s.cause, s.cause_ref, s.run_id, s.event_trigger_id, s.message, s.child_workflow_run_id, s.compensation_status,
  s.compensation_run_id, s.compensation_error, s.compensated_at, s.started_at, s.finished_at, s.created_at, s.updated_at`;

/** A step as presented. */
export const STEP_RUN_COLUMNS = sql`${STEP_RUN_OUTLINE}, s.output`;
