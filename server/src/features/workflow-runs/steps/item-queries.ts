import {
  type ListMapItemsQuery,
  MAP_ITEM_STATUSES,
  type MapItem,
  type MapItemCounts,
} from "@millrace/contract/workflows/step-runs";
import { redactSteps } from "../../../flow/workflows/operate/redact-denied.ts";
import type { StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import { readDeniedRuns } from "../../../platform/access/policies/denied-runs.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import type { Page } from "../../../platform/listing/page.ts";
import { findStep, getWorkflowRun } from "../queries.ts";

export type MapItemRow = Omit<MapItem, "$schema">;

/** An item whose run or workflow run has not started, or was requeued, is shown as pending. */
const STATUS = sql`case when i.status = 'running' and (r.status in ('pending', 'paused') or c.status = 'pending')
  then 'pending' else i.status end`;
const RUNS = sql`
  left join lateral (
    select r.status from runs r where r.project_id = i.project_id and r.id = i.run_id and i.status = 'running' offset 0
  ) r on true
  left join lateral (
    select c.status from workflow_runs c
    where c.project_id = i.project_id and c.id = i.child_workflow_run_id and i.status = 'running' offset 0
  ) c on true`;

const COLUMNS = sql`i.workflow_run_id, i.step_ref || '[' || i.item_index || ']' as step_ref, i.item_index, i.generation,
  ${STATUS} as status, i.item, i.run_id, i.child_workflow_run_id, i.started_at, i.finished_at, i.created_at,
  i.updated_at`;

/** The output and the error of `map_items i`, hidden for runs that the caller may not read. */
export async function itemResult(ctx: ProjectCtx): Promise<Sql> {
  const denied = await readDeniedRuns(ctx);
  if (!denied) return sql`i.output, i.error`;
  const isDenied = sql`(${denied.run(sql`i.run_id`)} or ${denied.tree(sql`i.child_workflow_run_id`)})`;
  return sql`case when not ${isDenied} then i.output end as output, case when not ${isDenied} then i.error end as error`;
}

/** The items of a step by position; `id` is that position, for the cursor. */
export async function listItemRows(
  ctx: ProjectCtx,
  { workflow_run_id, step_ref }: { workflow_run_id: string; step_ref: string },
  { status }: Pick<ListMapItemsQuery, "status">,
  page: Page,
): Promise<(MapItemRow & { id: string })[]> {
  const { rows } = await sql<MapItemRow & { id: string }>`
    select ${COLUMNS}, ${await itemResult(ctx)}, i.item_index::text as id from map_items i ${RUNS}
    where i.project_id = ${ctx.project_id} and i.workflow_run_id = ${workflow_run_id} and i.step_ref = ${step_ref}
      ${status === undefined ? sql`` : sql`and ${STATUS} = any(${status.split(",")})`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

async function countItems(
  ctx: ProjectCtx,
  { workflow_run_id, step_ref }: { workflow_run_id: string; step_ref: string },
): Promise<MapItemCounts> {
  const { rows } = await sql<{ status: (typeof MAP_ITEM_STATUSES)[number]; count: number }>`
    select ${STATUS} as status, count(*)::int as count from map_items i ${RUNS}
    where i.project_id = ${ctx.project_id} and i.workflow_run_id = ${workflow_run_id} and i.step_ref = ${step_ref}
    group by 1`.execute(ctx.db);
  const counts = new Map(rows.map(({ status, count }) => [status, count]));
  const byStatus = MAP_ITEM_STATUSES.map((status) => [status, counts.get(status) ?? 0] as const);
  const total = byStatus.reduce((sum, [, count]) => sum + count, 0);
  return { total, ...(Object.fromEntries(byStatus) as Omit<MapItemCounts, "total">) };
}

export async function getStep(ctx: ProjectCtx, id: string, step_ref: string): Promise<StepRunRow> {
  const run = await getWorkflowRun(ctx, id);
  const found = await findStep(ctx, run.id, step_ref);
  const [step] = await redactSteps(ctx, run.id, found ? [found] : []);
  if (!step) throw notFound("step");
  return step.type === "map" && step.started_at !== null ? { ...step, items: await countItems(ctx, step) } : step;
}
