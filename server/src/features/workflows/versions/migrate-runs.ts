import {
  MAX_MIGRATED_RUNS,
  MAX_MIGRATION_REASONS,
  type MigrateRuns,
  type RunsMigration,
} from "@millrace/contract/workflows/migrate-runs";
import { findWorkflowVersion, type WorkflowVersion } from "../../../flow/workflows/start/workflow-version.ts";
import {
  type CheckedRun,
  checkMigrations,
  type MigrationRequest,
} from "../../../flow/workflows/versions/check-migrations.ts";
import { migrateRuns as migrateInFlow } from "../../../flow/workflows/versions/migrate-runs.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import { actorOf } from "../../../platform/actor.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import { advanceBatch } from "../../../platform/batches/advance-batch.ts";
import { trackBatch } from "../../../platform/batches/track-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { getWorkflow } from "../queries.ts";

/** Workflow runs per transaction. */
const PAGE = 200;

/**
 * Migrates runs in flight to another version of their workflow, or only previews it. Finished when it returns; if it is
 * interrupted, completed pages stay and repeating the call does the rest.
 */
export async function migrateRuns(ctx: ProjectCtx, ref: string, body: MigrateRuns): Promise<RunsMigration> {
  const migration = await readMigration(ctx, ref, body);
  const { ids, next_after } = await findRunsToMigrate(ctx, migration, body);
  const isDry = body.dry_run !== false;
  const batch_id = isDry || ids.length === 0 ? null : await openBatch(ctx, migration, ids.length);
  const checked: CheckedRun[] = [];
  for (let first = 0; first < ids.length; first += PAGE) {
    const page = ids.slice(first, first + PAGE);
    if (batch_id === null) checked.push(...(await checkMigrations(ctx, migration, page)));
    else checked.push(...(await migratePage(ctx, migration, page, { batch_id, first })));
  }
  return presentMigration(migration, checked, { dry_run: isDry, batch_id, next_after });
}

async function readMigration(ctx: ProjectCtx, ref: string, body: MigrateRuns): Promise<MigrationRequest> {
  const { id: workflow_id } = await getWorkflow(ctx, ref);
  const target = await findVersionToMigrate(ctx, workflow_id, body.to_version);
  if (!target) throw invalid("body.to_version", "is not a version of this workflow", body.to_version);
  const { project_id } = ctx;
  const seen = visible(ctx, "workflow_runs", "w");
  const migration = { project_id, workflow_id, target, from_version_id: null, seen, by: actorOf(ctx.caller) };
  if (body.from_version === undefined) return migration;
  const from = await findVersionToMigrate(ctx, workflow_id, body.from_version);
  if (!from) throw invalid("body.from_version", "is not a version of this workflow", body.from_version);
  if (from.id === target.id) throw invalid("body.from_version", "is the version to migrate to", body.from_version);
  return { ...migration, from_version_id: from.id };
}

/** The request is audited once; the batch and the runs' decisions hold the outcome of each run. */
function openBatch(ctx: ProjectCtx, migration: MigrationRequest, total: number): Promise<string> {
  const { workflow_id, target, from_version_id } = migration;
  const request = { workflow_id, to_version_id: target.id, from_version_id };
  return inTransaction(ctx, async (tx) => {
    const batch_id = await trackBatch(tx, { kind: "migrate_workflow_runs", total, request });
    await recordAudit(tx, {
      action: "workflow.runs_migrated",
      resource_type: "workflow",
      resource_id: workflow_id,
      after: { to_version: target.version, to_version_id: target.id, from_version_id, runs: total, batch_id },
    });
    return batch_id;
  });
}

function migratePage(
  ctx: ProjectCtx,
  migration: MigrationRequest,
  ids: readonly string[],
  { batch_id, first }: { batch_id: string; first: number },
): Promise<CheckedRun[]> {
  return migrateInFlow(ctx, migration, ids, async (tx, checked) => {
    const items = checked.map(({ workflow_run_id, check }, index) => ({
      item_index: first + index,
      target_id: workflow_run_id,
      status: STATUSES[check.kind],
      ...(check.kind !== "migrate" && { detail: check.reasons }),
    }));
    await advanceBatch(tx, { project_id: migration.project_id, batch_id }, items);
  });
}

const STATUSES = { migrate: "succeeded", incompatible: "failed", unchanged: "skipped" } as const;

type Result = RunsMigration["results"][number];

function presentMigration(
  { workflow_id, target }: MigrationRequest,
  checked: readonly CheckedRun[],
  rest: Pick<RunsMigration, "dry_run" | "batch_id" | "next_after">,
): RunsMigration {
  const results = checked.map((run) => presentResult(run, rest.dry_run));
  const counts = { migrated: 0, would_migrate: 0, incompatible: 0, unchanged: 0 };
  for (const { status } of results) counts[status]++;
  return { workflow_id, to_version: target.version, to_version_id: target.id, ...rest, counts, results };
}

function presentResult({ workflow_run_id, from, check }: CheckedRun, isDry: boolean): Result {
  const from_version = from?.version ?? null;
  if (check.kind === "migrate") {
    const status = isDry ? "would_migrate" : "migrated";
    const { added: added_steps, removed: removed_steps } = check;
    return { workflow_run_id, status, from_version, added_steps, removed_steps, reasons: [] };
  }
  const reasons = check.reasons.slice(0, MAX_MIGRATION_REASONS);
  return { workflow_run_id, status: check.kind, from_version, added_steps: [], removed_steps: [], reasons };
}

/** A version of a workflow that the caller may see, by number or id. */
async function findVersionToMigrate(
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
async function findRunsToMigrate(
  ctx: ProjectCtx,
  migration: MigrationRequest,
  requested: RequestedRuns,
): Promise<Found> {
  const limit = requested.limit ?? MAX_MIGRATED_RUNS;
  const after = requested.after?.toLowerCase();
  const named = requested.workflow_run_ids?.map((id) => id.toLowerCase());
  const ids = named
    ? [...new Set(named)].filter((id) => after === undefined || id > after).toSorted()
    : await listInFlight(ctx, migration, after, limit);
  const page = ids.slice(0, limit);
  return { ids: page, next_after: ids.length > limit ? (page.at(-1) ?? null) : null };
}

async function listInFlight(
  ctx: ProjectCtx,
  { workflow_id, target, from_version_id, seen }: MigrationRequest,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const versions: Sql =
    from_version_id === null ? sql`w.version_id <> ${target.id}` : sql`w.version_id = ${from_version_id}`;
  const { rows } = await sql<{ id: string }>`
    select w.id from workflow_runs w
    where w.project_id = ${ctx.project_id} and w.workflow_id = ${workflow_id} and w.finished_at is null
      and ${versions} and ${seen}
      ${after === undefined ? sql`` : sql`and w.id > ${after}`}
    order by w.id limit ${limit + 1}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}
