import type { Ctx } from "../platform/context.ts";
import type { Effect } from "../platform/ledger/record-effects.ts";
import { cancelRun } from "./cancel-run.ts";

/** Cancels the job run of a step that was canceled, skipped or reset. One that has ended is left as it is. */
export async function cancelStepRun(ctx: Ctx, { project_id, target_id, detail }: Effect): Promise<void> {
  const { reason } = detail as { reason: string };
  await cancelRun(ctx, { project_id, run_id: target_id, cause: "canceled", reason, by: "its workflow run" });
}
