import type { Workflow } from "@millrace/contract/workflows";
import { sql } from "kysely";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { recordAudit } from "../../platform/ledger/record-audit.ts";
import type { WorkflowRow } from "./queries.ts";

type Replaced = Pick<Workflow, "active_runs_on_previous_version" | "previous_version_id">;

/**
 * What is told of the version that another has just replaced: the runs in flight on it, if there are any; a breaking
 * change leaves a record of them. A run that is being born at this very moment is not seen: it came before the change.
 */
export async function reportReplaced(
  tx: ProjectCtx & InTransaction,
  before: WorkflowRow,
  after: WorkflowRow,
  breaking_change: boolean,
): Promise<Replaced> {
  if (before.version_id === after.version_id) return {};
  const active_runs = await countActiveRuns(tx, before);
  if (active_runs === 0) return {};
  const replaced = { active_runs_on_previous_version: active_runs, previous_version_id: before.version_id };
  if (breaking_change) {
    await recordAudit(tx, {
      action: "workflow.updated_breaking",
      resource_type: "workflow",
      resource_id: before.id,
      before: { version: before.current_version, version_id: before.version_id },
      after: { version: after.current_version, version_id: after.version_id, ...replaced },
    });
  }
  return replaced;
}

async function countActiveRuns(ctx: ProjectCtx, { id, version_id }: WorkflowRow): Promise<number> {
  const { rows } = await sql<{ runs: number }>`
    select count(*)::int as runs from workflow_runs
    where project_id = ${ctx.project_id} and workflow_id = ${id} and version_id = ${version_id}
      and finished_at is null`.execute(ctx.db);
  return rows[0]?.runs ?? 0;
}
