import type { ListWorkflowRunsQuery } from "@millrace/contract/workflow-runs";
import { type RawBuilder, sql } from "kysely";
import { STEP_RUN_COLUMNS, type StepRunRow } from "../../flow/workflows/step-run-columns.ts";
import { WORKFLOW_RUN_COLUMNS, type WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { visible } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { firstIdAt, isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

const MOST_SKEW_MS = 3_600_000;
const LIVE: ReadonlySet<string> = new Set(["pending", "running", "paused"]);

export async function findWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<WorkflowRunRow>`
    select ${WORKFLOW_RUN_COLUMNS} from workflow_runs w
    where w.project_id = ${ctx.project_id} and w.id = ${id} and ${visible(ctx, "workflow_runs", "w")}`.execute(ctx.db);
  return rows[0];
}

export type WorkflowRunFilter = Omit<ListWorkflowRunsQuery, "limit" | "cursor" | "order">;

export async function listWorkflowRuns(
  ctx: ProjectCtx,
  page: Page,
  filter: WorkflowRunFilter,
): Promise<WorkflowRunRow[]> {
  const { rows } = await sql<WorkflowRunRow>`
    select ${WORKFLOW_RUN_COLUMNS} from workflow_runs w
    where w.project_id = ${ctx.project_id} and ${visible(ctx, "workflow_runs", "w")} ${wanted(ctx, filter)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** A page is sorted by the place in the definition, written as the uuid that a cursor holds. */
export type PlacedStep = StepRunRow & { step_run_id: string };

export async function listSteps(ctx: ProjectCtx, workflow_run_id: string, page: Page): Promise<PlacedStep[]> {
  const { rows } = await sql<PlacedStep>`
    select ${STEP_RUN_COLUMNS}, s.id as step_run_id, p.id
    from step_runs s, lateral (select lpad(to_hex(s.position), 32, '0')::uuid as id) p
    where s.project_id = ${ctx.project_id} and s.workflow_run_id = ${workflow_run_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function findStep(
  ctx: ProjectCtx,
  workflow_run_id: string,
  step_ref: string,
): Promise<StepRunRow | undefined> {
  const { rows } = await sql<StepRunRow>`
    select ${STEP_RUN_COLUMNS} from step_runs s
    where s.project_id = ${ctx.project_id} and s.workflow_run_id = ${workflow_run_id}
      and s.step_ref = ${step_ref}`.execute(ctx.db);
  return rows[0];
}

function wanted(ctx: ProjectCtx, filter: WorkflowRunFilter): RawBuilder<unknown> {
  const conditions = [
    filter.workflow_id !== undefined && sql`and w.workflow_id = ${workflowNamed(ctx, filter.workflow_id)}`,
    filter.status !== undefined && withStatus(filter.status.split(",")),
    filter.trigger_type !== undefined && sql`and w.trigger_type = ${filter.trigger_type}`,
    filter.tag !== undefined && withTag(filter.tag),
    filter.schedule_id !== undefined && sql`and w.schedule_id = ${filter.schedule_id}`,
    filter.batch_id !== undefined && sql`and w.batch_id = ${filter.batch_id}`,
    filter.from !== undefined &&
      sql`and w.created_at >= ${filter.from}::timestamptz and w.id >= ${earliestId(filter.from)}`,
    filter.to !== undefined && sql`and w.created_at < ${filter.to}::timestamptz`,
  ];
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` `,
  );
}

/** The list is sorted by id: it need not be walked further back than ids of that time, give or take two clocks. */
function earliestId(from: string): string {
  return firstIdAt(Date.parse(from) - MOST_SKEW_MS);
}

/** What lives has an index of its own, which is short; ends are found by looking back. */
function withStatus(statuses: string[]): RawBuilder<unknown> {
  const isLive = statuses.every((status) => LIVE.has(status));
  return sql`and w.status = any(${statuses}) ${isLive ? sql`and w.finished_at is null` : sql``}`;
}

function workflowNamed(ctx: ProjectCtx, ref: string): RawBuilder<unknown> {
  if (isId(ref)) return sql`${ref}`;
  return sql`(select f.id from workflows f where f.project_id = ${ctx.project_id} and f.slug = ${ref} and f.deleted_at is null)`;
}

/** `key` or `key:value`. Both may hold colons themselves, so each may be the one between them. */
function withTag(tag: string): RawBuilder<unknown> {
  const colons = [...tag.matchAll(/:/g)].map((match) => match.index);
  const pairs = colons.map((at) => JSON.stringify({ [tag.slice(0, at)]: tag.slice(at + 1) }));
  return sql`and (w.tags ? ${tag} or w.tags @> any(${pairs}::jsonb[]))`;
}
