import type { ListWorkflowRunsQuery } from "@millrace/contract/workflows/workflow-runs";
import { WORKFLOW_RUN_COLUMNS, type WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { ofEnvironment } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { firstIdAt, isId } from "../../platform/ids.ts";
import { hasTag } from "../../platform/listing/filters.ts";

const MAX_SKEW_MS = 3_600_000;
const LIVE: ReadonlySet<string> = new Set(["pending", "running", "paused"]);

type WorkflowRunFilter = Omit<ListWorkflowRunsQuery, "limit" | "cursor" | "order">;

/** Workflow runs from one id on. */
export type Part = { order: "asc" | "desc"; after_id: string | null; filter: WorkflowRunFilter };

/** The id of the `count`-th workflow run of a range, among those selected by an index; null: there are fewer. */
export async function findNth(ctx: ProjectCtx, part: Part, count: number): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select w.id from workflow_runs w
    where w.project_id = ${ctx.project_id} ${joined(indexed(ctx, part.filter))} ${after(part)}
    ${sorted(part)} limit 1 offset ${count - 1}`.execute(ctx.db);
  return rows[0]?.id ?? null;
}

export async function readPart(
  ctx: ProjectCtx,
  part: Part,
  upTo: string | null,
  limit: number,
): Promise<WorkflowRunRow[]> {
  const conditions = joined([...indexed(ctx, part.filter), ...filtered(ctx, part.filter)]);
  const end = part.order === "asc" ? sql`and w.id <= ${upTo}` : sql`and w.id >= ${upTo}`;
  const { rows } = await sql<WorkflowRunRow>`
    select ${WORKFLOW_RUN_COLUMNS} from workflow_runs w
    where w.project_id = ${ctx.project_id} and ${visible(ctx, "workflow_runs", "w")} ${conditions} ${after(part)}
      ${upTo === null ? sql`` : end}
    ${sorted(part)} limit ${limit}`.execute(ctx.db);
  return rows;
}

function after({ order, after_id }: Part): Sql {
  if (after_id === null) return sql``;
  return order === "asc" ? sql`and w.id > ${after_id}` : sql`and w.id < ${after_id}`;
}

function sorted({ order }: Part): Sql {
  return order === "asc" ? sql`order by w.id asc` : sql`order by w.id desc`;
}

type Conditions = (Sql | false)[];

/** Conditions that use an index or the sort order. */
function indexed(ctx: ProjectCtx, filter: WorkflowRunFilter): Conditions {
  const isLive = filter.status?.split(",").every((status) => LIVE.has(status));
  return [
    filter.workflow_id !== undefined && sql`and w.workflow_id = ${workflowNamed(ctx, filter.workflow_id)}`,
    filter.parent_workflow_run_id !== undefined && sql`and w.parent_workflow_run_id = ${filter.parent_workflow_run_id}`,
    filter.schedule_id !== undefined && sql`and w.schedule_id = ${filter.schedule_id}`,
    isLive === true && sql`and w.finished_at is null`,
    filter.from !== undefined && sql`and w.id >= ${idAt(filter.from, -MAX_SKEW_MS)}`,
    filter.to !== undefined && sql`and w.id < ${idAt(filter.to, MAX_SKEW_MS)}`,
  ];
}

/** Conditions that are checked for each workflow run. */
function filtered(ctx: ProjectCtx, filter: WorkflowRunFilter): Conditions {
  const { status, trigger_type, created_by, environment_id, payload_contains, tag, batch_id, from, to } = filter;
  return [
    status !== undefined && sql`and w.status = any(${status.split(",")})`,
    trigger_type !== undefined && sql`and w.trigger_type = ${trigger_type}`,
    created_by !== undefined && sql`and (w.created_by = ${created_by} or w.created_by_id = ${created_by})`,
    ofEnvironment(ctx, "w", environment_id),
    payload_contains !== undefined && sql`and w.payload @> ${payload_contains}::jsonb`,
    tag !== undefined && sql`and ${hasTag("w", tag)}`,
    batch_id !== undefined && sql`and w.batch_id = ${batch_id}`,
    from !== undefined && sql`and w.created_at >= ${from}::timestamptz`,
    to !== undefined && sql`and w.created_at < ${to}::timestamptz`,
  ];
}

function joined(conditions: Conditions): Sql {
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` `,
  );
}

/** The list is sorted by id, so a time bound is an id bound, plus the skew between two clocks. */
function idAt(time: string, moved_ms: number): string {
  return firstIdAt(Date.parse(time) + moved_ms);
}

function workflowNamed(ctx: ProjectCtx, ref: string): Sql {
  if (isId(ref)) return sql`${ref}`;
  return sql`(select f.id from workflows f where f.project_id = ${ctx.project_id} and f.slug = ${ref} and f.deleted_at is null)`;
}
