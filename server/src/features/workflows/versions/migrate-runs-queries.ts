import { MAX_MIGRATED_RUNS, type MigrateRuns } from "@millrace/contract/migrate-runs";
import { type RawBuilder, sql } from "kysely";
import { findWorkflowVersion, type WorkflowVersion } from "../../../flow/workflows/start/workflow-version.ts";
import type { MigrationOrder } from "../../../flow/workflows/versions/check-migrations.ts";
import type { ProjectCtx } from "../../../platform/context.ts";

/** A version of a workflow that the caller may see, by number or id. */
export async function findVersionToMigrate(
  ctx: ProjectCtx,
  workflow_id: string,
  requested: number | string,
): Promise<WorkflowVersion | undefined> {
  const { rows } = await sql<{ id: string }>`
    select v.id from workflow_versions v
    where v.project_id = ${ctx.project_id} and v.workflow_id = ${workflow_id}
      and ${typeof requested === "number" ? sql`v.version = ${requested}` : sql`v.id = ${requested}`}`.execute(ctx.db);
  return rows[0] && findWorkflowVersion(ctx, ctx.project_id, rows[0].id);
}

type RequestedRuns = Pick<MigrateRuns, "workflow_run_ids" | "limit" | "after">;
type Found = { ids: string[]; next_after: string | null };

/** The requested runs by id: the named ones, or all in flight on another version. */
export async function findRunsToMigrate(
  ctx: ProjectCtx,
  order: MigrationOrder,
  requested: RequestedRuns,
): Promise<Found> {
  const limit = requested.limit ?? MAX_MIGRATED_RUNS;
  const after = requested.after?.toLowerCase();
  const named = requested.workflow_run_ids?.map((id) => id.toLowerCase());
  const ids = named
    ? [...new Set(named)].filter((id) => after === undefined || id > after).toSorted()
    : await listInFlight(ctx, order, after, limit);
  const page = ids.slice(0, limit);
  return { ids: page, next_after: ids.length > limit ? (page.at(-1) ?? null) : null };
}

async function listInFlight(
  ctx: ProjectCtx,
  { workflow_id, target, from_version_id, seen }: MigrationOrder,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const versions: RawBuilder<unknown> =
    from_version_id === null ? sql`w.version_id <> ${target.id}` : sql`w.version_id = ${from_version_id}`;
  const { rows } = await sql<{ id: string }>`
    select w.id from workflow_runs w
    where w.project_id = ${ctx.project_id} and w.workflow_id = ${workflow_id} and w.finished_at is null
      and ${versions} and ${seen}
      ${after === undefined ? sql`` : sql`and w.id > ${after}`}
    order by w.id limit ${limit + 1}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}
