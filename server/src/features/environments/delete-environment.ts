import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { inUseIssues } from "../../platform/errors/in-use-issues.ts";
import { type Dependent, deleteEnvironmentRow, listDependents, lockEnvironment } from "./queries.ts";
import { presentEnvironment, redactEnvironment } from "./variables.ts";

/** Permanent. The row lock prevents a key or child from being created concurrently. */
export async function deleteEnvironment(ctx: ProjectCtx, ref: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockEnvironment(tx, ref);
    if (!before) throw notFound("environment");
    if (before.is_standard)
      throw new ApiError("environment_is_standard", `${before.slug} is a standard environment and cannot be deleted.`);
    refuseInUse(await listDependents(tx, before.id));
    const shown = redactEnvironment(await presentEnvironment(tx, before));
    await deleteEnvironmentRow(tx, before.id);
    await recordAudit(tx, {
      action: "environment.deleted",
      resource_type: "environment",
      resource_id: before.id,
      before: shown,
    });
  });
}

function refuseInUse(dependents: Dependent[]): void {
  if (dependents.length === 0) return;
  const errors = inUseIssues(dependents, "path.envID", ({ kind, name }) => `the ${kind} "${name}" depends on it`);
  throw new ApiError("environment_in_use", `${dependents.length} objects still depend on this environment.`, {
    errors,
  });
}
