import type { Actor } from "../../../platform/actor.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { ApiError } from "../../../platform/errors/errors.ts";
import { overBudget } from "../../budget/over-budget.ts";
import { previewBudget } from "../../budget/preview-budget.ts";
import { prepareReplays } from "./prepare-replays.ts";
import { readOriginals } from "./replay-originals.ts";

type Requested = { project_id: string; run_ids: readonly string[]; by: Actor };

/**
 * What `replayRuns` would return now, checked in the same order, without locks or changes: for each existing run the
 * reason why it would not be replayed, or null.
 */
export async function previewReplays(
  ctx: Ctx,
  { run_ids, ...requested }: Requested,
): Promise<Map<string, ApiError | null>> {
  const originals = await readOriginals(ctx, requested.project_id, run_ids);
  const order = { ...requested, batch_id: null, isDeadLetters: false };
  const { prepared, refused } = await prepareReplays(ctx, order, originals);
  const overs = await previewBudget(
    ctx,
    prepared.map(({ run }) => run),
  );
  const preview = new Map<string, ApiError | null>(refused);
  for (const { original, run } of prepared) {
    const over = overs.get(run);
    preview.set(original.id, over ? overBudget(over) : null);
  }
  return preview;
}
