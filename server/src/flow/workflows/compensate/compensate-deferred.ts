import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { hasCompletedItems } from "../map/completed-items.ts";
import type { WorkflowRunEnd } from "../progress/workflow-run-end.ts";
import { findWorkflowVersion, type WorkflowVersion } from "../start/workflow-version.ts";
import { type CompensableStep, hasCompensations, mayCompensate } from "./compensate-plan.ts";
import type { CompensationStatus, PlannedEnd } from "./compensate-types.ts";

/** An end that is postponed until the compensations are over. */
export type DeferredEnd = WorkflowRunEnd & { status: PlannedEnd["status"] };

/**
 * Which of these ends are postponed: those of runs that did not complete and have steps to compensate. The end of a
 * compensating run is not postponed again. Runs no query if no step names a compensation.
 */
export async function findDeferredEnds(
  tx: Ctx & InTransaction,
  ends: readonly WorkflowRunEnd[],
): Promise<DeferredEnd[]> {
  const candidates: { end: DeferredEnd; version: WorkflowVersion }[] = [];
  for (const end of ends) {
    if (!isEarly(end) || end.run.planned_end !== null) continue;
    const version = await findWorkflowVersion(tx, end.run.project_id, end.run.version_id);
    if (hasCompensations(version.definition)) candidates.push({ end, version });
  }
  if (candidates.length === 0) return [];
  const steps = await readCompensable(
    tx,
    candidates.map(({ end }) => end),
  );
  return candidates
    .filter(({ end, version }) => mayCompensate(version.definition, steps.get(end.run.id) ?? new Map()))
    .map(({ end }) => end);
}

function isEarly(end: WorkflowRunEnd): end is DeferredEnd {
  return end.status !== "completed";
}

type Row = Pick<CompensableStep, "status" | "completion"> & {
  workflow_run_id: string;
  step_ref: string;
  compensation_status: CompensationStatus | null;
  has_completed_items: boolean;
};

async function readCompensable(
  tx: Ctx & InTransaction,
  ends: readonly WorkflowRunEnd[],
): Promise<Map<string, Map<string, CompensableStep>>> {
  const keys = ends.map(({ run }) => ({ project_id: run.project_id, id: run.id, one: "" }));
  const { rows } = await sql<Row>`
    select s.workflow_run_id, s.step_ref, s.status, s.completion, s.compensation_status,
      ${hasCompletedItems("s")} as has_completed_items
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id uuid, one text)
    join step_runs s on s.project_id = g.project_id and s.workflow_run_id = g.id
    where ${fewRows("g.one")}`.execute(tx.db);
  const ofRuns = [...groupBy(rows, (row) => row.workflow_run_id)];
  return new Map(ofRuns.map(([id, steps]) => [id, new Map(steps.map((step) => [step.step_ref, compensable(step)]))]));
}

function compensable({ status, completion, compensation_status, has_completed_items }: Row): CompensableStep {
  const compensation = compensation_status && { status: compensation_status };
  return { status, completion, compensation, hasCompletedItems: has_completed_items };
}
