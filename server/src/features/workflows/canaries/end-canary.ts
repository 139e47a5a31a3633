import type { AuditEntry } from "../../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { findReplaced } from "../versions/replaced-version.ts";
import { type CanaryRow, endActiveCanary, setCurrentVersion } from "./canary-queries.ts";

/** `entry`: the audit entry of a breaking change, which the caller records with its own. */
export type EndedCanary = { row: CanaryRow; entry?: AuditEntry | undefined };

/**
 * Makes the target the current version if promoted, the source if rolled back. Undefined: another caller was faster.
 */
export async function endCanary(
  tx: Ctx & InTransaction,
  canary: CanaryRow,
  status: "promoted" | "rolled_back",
): Promise<EndedCanary | undefined> {
  const row = await endActiveCanary(tx, canary, status);
  if (!row) return undefined;
  const workflow = { project_id: canary.project_id, id: canary.workflow_id };
  const source = { version_id: canary.source_version_id, version: canary.source_version };
  const target = { version_id: canary.target_version_id, version: canary.target_version };
  await setCurrentVersion(tx, workflow, status === "promoted" ? target : source);
  // While a canary is active its source is the current version, so a rollback replaces nothing.
  if (status === "rolled_back") return { row };
  const { entry } = await findReplaced(tx, {
    before: { ...workflow, version_id: source.version_id, current_version: source.version },
    after: { ...workflow, version_id: target.version_id, current_version: target.version },
    breaking_change: await isBreaking(tx, canary),
  });
  return { row, entry };
}

async function isBreaking(ctx: Ctx, { project_id, target_version_id }: CanaryRow): Promise<boolean> {
  const { rows } = await sql<{ breaking_change: boolean }>`
    select breaking_change from workflow_versions
    where project_id = ${project_id} and id = ${target_version_id}`.execute(ctx.db);
  return rows[0]?.breaking_change ?? false;
}
