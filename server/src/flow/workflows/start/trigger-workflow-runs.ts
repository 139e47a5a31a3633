import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { WorkflowRunRow } from "../workflow-run-columns.ts";
import type { NewWorkflowRun, WorkflowTriggerResult } from "./new-workflow-run.ts";
import { startWorkflowRuns } from "./start-workflow-runs.ts";

export type TriggeredWorkflow =
  | Exclude<WorkflowTriggerResult, { kind: "created" }>
  | { kind: "created"; run: WorkflowRunRow };

/** The fields of a newly created run that its trigger did not contain. */
export type CreatedFields = Pick<
  WorkflowRunRow,
  | "status"
  | "phase"
  | "error"
  | "error_count"
  | "timeout_secs"
  | "scheduled_at"
  | "started_at"
  | "deadline"
  | "paused_at"
  | "finished_at"
  | "created_at"
  | "updated_at"
>;

/**
 * Starts many workflow runs in one commit and returns each in its current state: one whose steps all end at once has
 * ended.
 */
export async function triggerWorkflowRuns(ctx: Ctx, newRuns: readonly NewWorkflowRun[]): Promise<TriggeredWorkflow[]> {
  const results = await startWorkflowRuns(ctx, newRuns);
  const ended = await readEnded(
    ctx,
    newRuns.filter((_, nth) => isEnded(results[nth])),
  );
  return newRuns.map((run, nth) => {
    const result = results[nth];
    if (result?.kind !== "created") return result ?? { kind: "stale" };
    const created = result.created
      ? { ...UNTOUCHED, ...result.created, updated_at: result.created.created_at }
      : ended.get(run.id);
    if (!created) throw new Error(`workflow run ${run.id} was created and cannot be found`);
    return { kind: "created", run: presentNewWorkflowRun(run, created) };
  });
}

function isEnded(result: WorkflowTriggerResult | undefined): boolean {
  return result?.kind === "created" && result.created === null;
}

const UNTOUCHED = { phase: null, error: null, error_count: 0, paused_at: null, finished_at: null };

/** A run as created, without reading back what was sent. */
export function presentNewWorkflowRun(run: NewWorkflowRun, created: CreatedFields): WorkflowRunRow {
  const {
    workflow_revision: _,
    is_limited: _limited,
    body_hash: _hash,
    delay_secs: _delay,
    canary_id: _canary,
    parent_generation: _generation,
    cancel_keys: _keys,
    ...shown
  } = run;
  return { ...shown, ...created };
}

async function readEnded(ctx: Ctx, newRuns: readonly NewWorkflowRun[]): Promise<Map<string, CreatedFields>> {
  if (newRuns.length === 0) return new Map();
  const keys = newRuns.map(({ project_id, id }) => ({ project_id, id }));
  const { rows } = await sql<CreatedFields & { id: string }>`
    /* prepared */
    select w.id, w.status, w.phase, w.error, w.error_count, w.timeout_secs, w.scheduled_at, w.started_at, w.deadline,
      w.paused_at, w.finished_at, w.created_at, w.updated_at
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id uuid)
    join workflow_runs w on w.project_id = g.project_id and w.id = g.id`.execute(ctx.db);
  return new Map(rows.map(({ id, ...created }) => [id, created]));
}
