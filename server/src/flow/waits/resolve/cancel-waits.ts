import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { canceledError } from "../../runs/stop/canceled-error.ts";
import { countTriggers } from "../count-triggers.ts";
import { notifyTriggers } from "../notify-triggers.ts";
import { endTriggers } from "./end-triggers.ts";
import type { LockedWait } from "./lock-waits.ts";

type Reason = { cause: string; reason: string | null; by: Actor };

/** Ends the waits of canceled runs, in their transaction. They are locked already. */
export async function cancelWaits(
  tx: Ctx & InTransaction,
  project_id: string,
  waits: readonly LockedWait[],
  reason: Reason,
): Promise<void> {
  const keys = waits.map(({ trigger_id }) => ({ project_id, trigger_id }));
  const code = reason.cause === "event_canceled" ? reason.cause : "run_canceled";
  const triggers = await endTriggers(tx, keys, { status: "canceled", error: canceledError(code, reason) });
  await countTriggers(
    tx,
    triggers.map(({ wait_kind }) => ({ project_id, wait_kind, from: "waiting", to: "canceled" })),
  );
  notifyTriggers(tx, keys);
}
