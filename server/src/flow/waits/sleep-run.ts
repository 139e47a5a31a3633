import type { InTransaction, RunCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { lockLiveRun } from "../runs/settle/fence.ts";
import { findOwnWait, openRunWait } from "./open-run-wait.ts";
import type { TriggerRow } from "./read-trigger.ts";

/** This many seconds, or until a time. */
export type Sleep = { timeout_secs: number; until: null } | { timeout_secs: null; until: string };

/** Suspends the calling run until a time. Repeating the call in the same attempt returns the same wait. */
export async function sleepRun(ctx: RunCtx, sleep: Sleep): Promise<{ trigger: TriggerRow; is_new: boolean }> {
  const id = newId();
  const trigger = await inTransaction(ctx, (tx) => sleepOnce(tx, id, sleep));
  return { trigger, is_new: trigger.id === id };
}

async function sleepOnce(tx: RunCtx & InTransaction, id: string, sleep: Sleep): Promise<TriggerRow> {
  const own = await findOwnWait(tx, "sleep");
  if (own) {
    const { child_run_id: _, ...trigger } = own;
    return trigger;
  }
  await lockLiveRun(tx);
  return openRunWait(tx, { id, wait_kind: "sleep", ...sleep, received: null });
}
