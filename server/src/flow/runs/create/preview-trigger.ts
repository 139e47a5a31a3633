import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { previewBudget } from "../../budget/preview-budget.ts";
import { readDuplicates } from "./find-duplicates.ts";
import { findRepeated } from "./find-repeated.ts";
import type { NewRun } from "./new-run.ts";
import type { TriggerResult } from "./trigger-result.ts";

export type Preview = Exclude<TriggerResult, { kind: "created" | "stale" }>;

/**
 * What `triggerRuns` would return for a run now, checked in the same order, without locks or changes. Undefined: it
 * would be created.
 */
export async function previewTrigger(ctx: Ctx, run: NewRun): Promise<Preview | undefined> {
  return (
    (await findRepeated(ctx, run)) ??
    (await findDuplicate(ctx, run)) ??
    (await findDebounced(ctx, run)) ??
    (await previewBudget(ctx, [run])).get(run)
  );
}

async function findDuplicate(ctx: Ctx, run: NewRun): Promise<Preview | undefined> {
  if (run.dedup_hash === null) return undefined;
  const run_id = (await readDuplicates(ctx, [run])).get(run.id);
  return run_id === undefined ? undefined : { kind: "existing", run_id, why: "dedup" };
}

/** A claimed or paused run no longer has the key. */
async function findDebounced(ctx: Ctx, { project_id, debounce_key }: NewRun): Promise<Preview | undefined> {
  if (debounce_key === null) return undefined;
  const { rows } = await sql<{ run_id: string }>`
    select run_id from run_queue where project_id = ${project_id} and debounce_key = ${debounce_key}`.execute(ctx.db);
  return rows[0] && { kind: "existing", run_id: rows[0].run_id, why: "debounce" };
}
