import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type CheckedRun, checkMigrations, type MigrationOrder } from "./check-migrations.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import { writeMigrations } from "./migrate-write.ts";
import { progressSoon } from "./progress-soon.ts";
import { WORKFLOW_RUN_TOPIC } from "./workflow-run-key.ts";

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
  const checked = await inTransaction(ctx, async (tx) => {
    await lockWorkflowRuns(tx, ids.map(keyOf));
    const all = await checkMigrations(tx, order, ids);
    await writeMigrations(tx, order, all);
    await alongside(tx, all);
    return all;
  });
  const moved = checked.filter(({ check }) => check.kind === "migrate").map((run) => run.workflow_run_id);
  for (const id of moved) ctx.wakeup.wake(WORKFLOW_RUN_TOPIC, `${project_id}:${id}`);
  progressSoon(ctx, moved.map(keyOf));
  return checked;
}
