import type { ExplainQuery, WorkflowDecision } from "@millrace/contract/workflows/workflow-graph";
import { findDeniedSteps } from "../../../flow/workflows/operate/redact-denied.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { Page } from "../../../platform/listing/page.ts";

const PAGE = 200;

export type DecisionFilter = Pick<ExplainQuery, "step_ref" | "decision_type">;
export type DecisionRow = Omit<WorkflowDecision, "$schema">;
type ExplainedRun = { id: string; created_at: string };

/** True for a step of the run's version, of the run itself, or one with a decision: a map item. */
export async function isStepOf(ctx: ProjectCtx, run: ExplainedRun & { version_id: string }, step_ref: string) {
  const { rows } = await sql`
    select 1 from step_runs
    where project_id = ${ctx.project_id} and workflow_run_id = ${run.id} and step_ref = ${step_ref}
    union all
    select 1 from workflow_versions v, jsonb_array_elements(v.steps) step
    where v.project_id = ${ctx.project_id} and v.id = ${run.version_id} and step ->> 'step_ref' = ${step_ref}
    union all
    (select 1 ${wanted(ctx, run, { step_ref })} limit 1)
    limit 1`.execute(ctx.db);
  return rows.length > 0;
}

/** A page is sorted by the decision's ordinal, written as the uuid that a cursor holds. */
export async function listDecisions(
  ctx: ProjectCtx,
  run: ExplainedRun,
  filter: DecisionFilter,
  page: Page,
): Promise<(DecisionRow & { id: string })[]> {
  const { rows } = await sql<DecisionRow & { id: string }>`
    select * from (select ${await columnsFor(ctx, run)}, lpad(to_hex(ordinal), 32, '0')::uuid as id ${wanted(ctx, run, filter)}) d
    where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/**
 * Reads the decisions after `after` up to `until`, in pages. Ordinals are assigned under the run's lock, so none can
 * appear in between later.
 */
export async function* readDecisions(
  ctx: ProjectCtx,
  run: ExplainedRun,
  filter: DecisionFilter,
  { after = 0, until = MAX_DECISIONS } = {},
): AsyncGenerator<DecisionRow[]> {
  const columns = await columnsFor(ctx, run);
  for (let last = after; ; ) {
    const { rows } = await sql<DecisionRow>`
      select ${columns} ${wanted(ctx, run, filter)} and ordinal > ${last} and ordinal <= ${until}
      order by ordinal limit ${PAGE}`.execute(ctx.db);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.ordinal ?? last;
  }
}

const MAX_DECISIONS = 2_147_483_647; // the column's maximum

/**
 * Reasons quote errors and outputs of any step, so all are hidden if any run of the workflow run is denied to the
 * caller.
 */
async function columnsFor(ctx: ProjectCtx, { id }: ExplainedRun): Promise<Sql> {
  const reasonColumns = (await findDeniedSteps(ctx, [id])).length === 0 ? sql`reason, detail` : HIDDEN_REASON;
  return sql`workflow_run_id, ordinal, step_ref, decision_type, ${reasonColumns}, decided_by, decided_by_id,
    created_at`;
}

/** Replaces the reason, which every decision must have. */
export const HIDDEN_REASON = sql`'Hidden: it may quote a run that you cannot read.' as reason, null::jsonb as detail`;

/** The time excludes partitions from before the run; the day allows for clocks that were set back. */
function wanted({ project_id }: ProjectCtx, run: ExplainedRun, { step_ref, decision_type }: DecisionFilter): Sql {
  return sql`
    from workflow_decisions
    where project_id = ${project_id} and workflow_run_id = ${run.id}
      and created_at >= ${run.created_at}::timestamptz - interval '1 day'
      ${step_ref === undefined ? sql`` : sql`and step_ref = ${step_ref}`}
      ${decision_type === undefined ? sql`` : sql`and decision_type = ${decision_type}`}`;
}
