import type { Run } from "@millrace/contract/runs";
import { overBudget } from "../../../flow/budget/reserve-budget.ts";
import type { NewRun, TriggerResult } from "../../../flow/runs/create/new-run.ts";
import type { Trigger } from "../../../flow/runs/create/prepare-run.ts";
import { previewTrigger } from "../../../flow/runs/create/trigger-runs.ts";
import { previewFailed } from "../../../flow/runs/dependencies/link-dependencies.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { findJobFor, idempotencyConflict, prepareFor } from "./submit-trigger.ts";

/** The run that would be created, with the error that would cancel it at once, or the existing run. */
type Checked = { kind: "preview"; run: NewRun; error: Run["error"] } | Extract<TriggerResult, { kind: "existing" }>;

/** The result or error that `submitTrigger` would have now. Read-only. */
export async function checkTrigger(ctx: ProjectCtx, ref: string, trigger: Trigger): Promise<Checked> {
  const run = await prepareFor(ctx, await findJobFor(ctx, ref, trigger.environment_id ?? null), trigger);
  const preview = await previewTrigger(ctx, run);
  if (!preview) return { kind: "preview", run, error: (await previewFailed(ctx, run)) ?? null };
  if (preview.kind === "conflict") throw idempotencyConflict();
  if (preview.kind === "over_budget") throw overBudget(preview);
  return preview;
}
