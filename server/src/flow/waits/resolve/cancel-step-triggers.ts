import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { countTriggers } from "../count-triggers.ts";
import { notifyTriggers } from "../notify-triggers.ts";
import { endTriggers } from "./end-triggers.ts";

const ERROR = { code: "step_ended", message: "The step that waited was canceled, skipped or reset." };

/**
 * Ends the waits of steps that no longer wait: called in the transaction that changes the steps, under the locks of
 * their workflow runs.
 */
export async function cancelStepTriggers(
  tx: Ctx & InTransaction,
  project_id: string,
  trigger_ids: readonly string[],
): Promise<void> {
  const triggers = await endTriggers(
    tx,
    trigger_ids.map((trigger_id) => ({ project_id, trigger_id })),
    { status: "canceled", error: ERROR },
  );
  await countTriggers(
    tx,
    triggers.map(({ wait_kind }) => ({ project_id, wait_kind, from: "waiting", to: "canceled" })),
  );
  notifyTriggers(
    tx,
    triggers.map(({ id }) => ({ project_id, trigger_id: id })),
  );
}
