import type { Workflow } from "@millrace/contract/workflows/workflows";
import { type AuditEntry, recordAudit } from "../../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { WorkflowRow } from "../queries.ts";

type Replaced = Pick<Workflow, "active_runs_on_previous_version" | "previous_version_id">;
/** A workflow, and the version that its new runs use. */
type Current = Pick<WorkflowRow, "project_id" | "id" | "version_id" | "current_version">;
type Replacement = { before: Current; after: Current; breaking_change: boolean };

/** What an update or an activation returns about the version it replaced. */
export async function reportReplaced(
  tx: ProjectCtx & InTransaction,
  before: WorkflowRow,
  after: WorkflowRow,
  breaking_change: boolean,
): Promise<Replaced> {
  const { replaced, entry } = await findReplaced(tx, { before, after, breaking_change });
  if (entry) await recordAudit(tx, entry);
  return replaced;
}

/**
 * Counts the runs in flight on a version that was just replaced, and returns the audit entry of a breaking change for
 * the caller to record. A run that is being created concurrently is not counted: it came before the change.
 */
export async function findReplaced(
  ctx: Ctx,
  { before, after, breaking_change }: Replacement,
): Promise<{ replaced: Replaced; entry?: AuditEntry }> {
  if (before.version_id === after.version_id) return { replaced: {} };
  const active_runs = await countActiveRuns(ctx, before);
  if (active_runs === 0) return { replaced: {} };
  const replaced = { active_runs_on_previous_version: active_runs, previous_version_id: before.version_id };
  if (!breaking_change) return { replaced };
  const entry = {
    action: "workflow.updated_breaking",
    resource_type: "workflow",
    resource_id: before.id,
    before: { version: before.current_version, version_id: before.version_id },
    after: { version: after.current_version, version_id: after.version_id, ...replaced },
  };
  return { replaced, entry };
}

async function countActiveRuns(ctx: Ctx, { project_id, id, version_id }: Current): Promise<number> {
  const { rows } = await sql<{ runs: number }>`
    select count(*)::int as runs from workflow_runs
    where project_id = ${project_id} and workflow_id = ${id} and version_id = ${version_id}
      and finished_at is null`.execute(ctx.db);
  return rows[0]?.runs ?? 0;
}
