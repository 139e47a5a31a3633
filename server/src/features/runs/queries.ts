import type { ListRunsQuery } from "@millrace/contract/runs";
import { type RawBuilder, sql } from "kysely";
import { RUN_COLUMNS, type RunRow } from "../../flow/run-columns.ts";
import { visible } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { firstIdAt, isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

const MOST_SKEW_MS = 3_600_000;

export async function findRun(ctx: ProjectCtx, id: string): Promise<RunRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r
    where r.project_id = ${ctx.project_id} and r.id = ${id} and ${visible(ctx, "runs", "r")}`.execute(ctx.db);
  return rows[0];
}

export type RunFilter = Omit<ListRunsQuery, "limit" | "cursor" | "order">;

export async function listRuns(ctx: ProjectCtx, page: Page, filter: RunFilter): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r
    where r.project_id = ${ctx.project_id} and ${visible(ctx, "runs", "r")} ${wanted(ctx, filter)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

function wanted(ctx: ProjectCtx, filter: RunFilter): RawBuilder<unknown> {
  const conditions = [
    filter.status !== undefined && withStatus(ctx, filter.status.split(",")),
    filter.job_id !== undefined && sql`and r.job_id = ${jobNamed(ctx, filter.job_id)}`,
    filter.batch_id !== undefined && sql`and r.batch_id = ${filter.batch_id}`,
    filter.concurrency_key !== undefined && sql`and r.concurrency_key = ${filter.concurrency_key}`,
    filter.created_by !== undefined && sql`and r.created_by = ${filter.created_by}`,
    filter.trigger_type !== undefined && sql`and r.trigger_type = ${filter.trigger_type}`,
    filter.parent_run_id !== undefined && sql`and r.parent_run_id = ${filter.parent_run_id}`,
    filter.tag !== undefined && withTag(filter.tag),
    filter.dead_letter === true && sql`and r.dead_lettered_at is not null`,
    filter.dead_letter === false && sql`and r.dead_lettered_at is null`,
    filter.from !== undefined &&
      sql`and r.created_at >= ${filter.from}::timestamptz and r.id >= ${earliestId(filter.from)}`,
    filter.to !== undefined && sql`and r.created_at < ${filter.to}::timestamptz`,
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

/** What is pending or running stands in the queue, which is short; all other statuses are found by looking back. */
function withStatus(ctx: ProjectCtx, statuses: string[]): RawBuilder<unknown> {
  const isQueued = statuses.every((status) => status === "pending" || status === "running");
  const queued = sql`and r.id in (select q.run_id from run_queue q where q.project_id = ${ctx.project_id})`;
  return sql`and r.status = any(${statuses}) ${isQueued ? queued : sql``}`;
}

function jobNamed(ctx: ProjectCtx, ref: string): RawBuilder<unknown> {
  if (isId(ref)) return sql`${ref}`;
  return sql`(select j.id from jobs j where j.project_id = ${ctx.project_id} and j.slug = ${ref} and j.deleted_at is null)`;
}

/** `key` or `key:value`. Both may hold colons themselves, so each may be the one between them. */
function withTag(tag: string): RawBuilder<unknown> {
  const colons = [...tag.matchAll(/:/g)].map((match) => match.index);
  const pairs = colons.map((at) => JSON.stringify({ [tag.slice(0, at)]: tag.slice(at + 1) }));
  return sql`and (r.tags ? ${tag} or r.tags @> any(${pairs}::jsonb[]))`;
}
