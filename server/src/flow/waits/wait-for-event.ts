import type { InTransaction, RunCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { lockLiveRun } from "../runs/settle/fence.ts";
import { takeBuffered } from "./buffered-events.ts";
import { lockEventKeys } from "./event-keys.ts";
import { findWaiting, type TriggerRow } from "./find-trigger.ts";
import { findOwnWait, openRunWait } from "./open-run-wait.ts";

type EventWait = { event_key: string; timeout_secs: number; notify_url: string | null };

/**
 * Suspends the calling run until an event for the key arrives. Repeating the call in the same attempt returns the same
 * wait.
 */
export async function waitForEvent(ctx: RunCtx, wait: EventWait): Promise<{ trigger: TriggerRow; is_new: boolean }> {
  const id = newId();
  const trigger = await inTransaction(ctx, (tx) => waitOnce(tx, id, wait));
  return { trigger, is_new: trigger.id === id };
}

async function waitOnce(tx: RunCtx & InTransaction, id: string, wait: EventWait): Promise<TriggerRow> {
  const key = { project_id: tx.project_id, event_key: wait.event_key };
  await lockEventKeys(tx, [key]);
  const waiter = await findWaiting(tx, key);
  const own = waiter?.job_run_id === tx.run_id ? await findOwnWait(tx, "event") : undefined;
  if (own && own.id === waiter?.id) return waiter;
  await lockLiveRun(tx);
  if (waiter) {
    throw new ApiError("event_key_in_use", `Another run or step is waiting for the event key ${wait.event_key}.`, {
      errors: [{ location: "body.event_key", message: "already has a wait", value: wait.event_key }],
    });
  }
  const [event] = await takeBuffered(tx, [key]);
  const received = event ?? null;
  return openRunWait(tx, { id, wait_kind: "event", ...wait, received });
}

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
