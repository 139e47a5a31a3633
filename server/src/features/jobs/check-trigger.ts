import { foreseeTrigger } from "../../flow/foresee-trigger.ts";
import type { NewRun } from "../../flow/new-run.ts";
import { overBudget } from "../../flow/over-budget.ts";
import { prepareRun, type Trigger } from "../../flow/prepare-run.ts";
import type { TriggerResult } from "../../flow/trigger-result.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { findJobFor, idempotencyConflict } from "./submit-trigger.ts";

/** The run that would be born, or the one that would stand for it. */
type Checked = { kind: "unborn"; run: NewRun } | Extract<TriggerResult, { kind: "existing" }>;

/** What `submitTrigger` would answer or refuse now. Reads only. */
export async function checkTrigger(ctx: ProjectCtx, ref: string, trigger: Trigger): Promise<Checked> {
  const run = prepareRun(await findJobFor(ctx, ref, trigger.environment_id ?? null), trigger);
  const foreseen = await foreseeTrigger(ctx, run);
  if (!foreseen) return { kind: "unborn", run };
  if (foreseen.kind === "conflict") throw idempotencyConflict();
  if (foreseen.kind === "over_budget") throw overBudget(foreseen);
  return foreseen;
}
