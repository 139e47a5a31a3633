import { MAX_MIGRATION_REASONS, type RunsMigration } from "@millrace/contract/migrate-runs";
import type { CheckedRun, MigrationOrder } from "../../../flow/workflows/versions/check-migrations.ts";

type Result = RunsMigration["results"][number];

export function presentMigration(
  { workflow_id, target }: MigrationOrder,
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
