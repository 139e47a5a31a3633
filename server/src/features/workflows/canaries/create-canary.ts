import type { ProblemError } from "@millrace/contract/schema/problem";
import type { Canary, CreateCanary } from "@millrace/contract/workflows/canaries";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { throwIssues } from "../../../platform/errors/issues.ts";
import { newId } from "../../../platform/ids.ts";
import { lockWorkflow, type WorkflowRow } from "../queries.ts";
import { refuseBeyondKey } from "../validate/references.ts";
import { deployVersion } from "../versions/deploy-version.ts";
import { reportReplaced } from "../versions/replaced-version.ts";
import { findVersion, type VersionRow } from "../versions/version-queries.ts";
import {
  insertCanary,
  presentCanary,
  readAutoPromote,
  refuseDuringCanary,
  setCurrentVersion,
} from "./canary-queries.ts";

const DEFAULT_PCT = 10;

/** From now on new runs use the source version, except for the target's share. */
export async function createCanary(ctx: ProjectCtx, ref: string, body: CreateCanary): Promise<Canary> {
  const { config, issues } = readAutoPromote(body.auto_promote_config);
  return inTransaction(ctx, async (tx) => {
    const workflow = await lockWorkflow(tx, ref);
    if (!workflow) throw notFound("workflow");
    refuseBeyondKey(tx, workflow.environment_id);
    await refuseDuringCanary(tx, workflow, "A workflow has one at a time: promote it or roll it back first.");
    const { source, target } = await readVersions(tx, workflow, body, issues);
    await deployVersion(tx, target);
    if (source.id !== workflow.version_id) await deployVersion(tx, source);
    const row = await insertCanary(tx, {
      id: newId(),
      project_id: tx.project_id,
      workflow_id: workflow.id,
      source_version: source.version,
      source_version_id: source.id,
      target_version: target.version,
      target_version_id: target.id,
      traffic_pct: body.traffic_pct ?? config?.steps[0] ?? DEFAULT_PCT,
      auto_promote_config: config,
      created_by: tx.caller.name,
    });
    await setCurrentVersion(tx, workflow, { version_id: source.id, version: source.version });
    const after = presentCanary(row);
    await recordAudit(tx, { action: "canary.created", resource_type: "canary", resource_id: row.id, after });
    const begun = { ...workflow, version_id: source.id, current_version: source.version };
    await reportReplaced(tx, workflow, begun, source.breaking_change);
    return after;
  });
}

async function readVersions(
  tx: ProjectCtx & InTransaction,
  workflow: WorkflowRow,
  { source_version, target_version }: CreateCanary,
  issues: readonly ProblemError[],
): Promise<{ source: VersionRow; target: VersionRow }> {
  const source = await findVersionNumbered(tx, workflow.id, source_version ?? workflow.current_version);
  const target = await findVersionNumbered(tx, workflow.id, target_version);
  const issue = (name: string, message: string, value: unknown) => ({ location: `body.${name}`, message, value });
  const missing = "is not a version of this workflow";
  throwIssues([
    ...(source ? [] : [issue("source_version", missing, source_version)]),
    ...(target ? [] : [issue("target_version", missing, target_version)]),
    ...(target && target.id === source?.id ? [issue("target_version", "is the source version", target_version)] : []),
    ...issues,
  ]);
  return { source: source as VersionRow, target: target as VersionRow };
}

async function findVersionNumbered(
  ctx: ProjectCtx,
  workflow_id: string,
  version: number,
): Promise<VersionRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from workflow_versions
    where project_id = ${ctx.project_id} and workflow_id = ${workflow_id} and version = ${version}`.execute(ctx.db);
  return rows[0] && findVersion(ctx, workflow_id, rows[0].id);
}
