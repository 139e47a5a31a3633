import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { workflowRunsChanged } from "../change-workflow-run.ts";
import { lockWorkflowRuns } from "../lock-workflow-runs.ts";
import { type CheckedRun, checkMigrations, type MigrationOrder } from "./check-migrations.ts";
import { writeMigrations } from "./migrate-write.ts";

/**
 * Migrates a page of workflow runs to another version, each under its lock, in one transaction. Those that cannot be
 * migrated are left as they are. Idempotent. `alongside` writes the results in the same transaction.
 */
export async function migrateRuns<C extends Ctx>(
  ctx: C,
  order: MigrationOrder,
  ids: readonly string[],
  alongside: (tx: C & InTransaction, checked: readonly CheckedRun[]) => Promise<void>,
): Promise<CheckedRun[]> {
  const { project_id } = order;
  const keyOf = (workflow_run_id: string) => ({ project_id, workflow_run_id });
  return inTransaction(ctx, async (tx) => {
    await lockWorkflowRuns(tx, ids.map(keyOf));
    const all = await checkMigrations(tx, order, ids);
    await writeMigrations(tx, order, all);
    await alongside(tx, all);
    const moved = all.filter(({ check }) => check.kind === "migrate").map((run) => keyOf(run.workflow_run_id));
    workflowRunsChanged(tx, moved);
    return all;
  });
}
