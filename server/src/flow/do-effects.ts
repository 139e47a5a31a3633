import type { Ctx, InTransaction } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { Refusal } from "../platform/errors.ts";
import type { Effect } from "../platform/ledger/record-effects.ts";
import { listEffects, strikeEffect } from "../platform/ledger/take-effects.ts";
import { startOnFailure } from "./start-on-failure.ts";
import { announceTriggered, type Triggered } from "./trigger-runs.ts";

const PAGE = 100;

/**
 * Does what transitions have caused beyond themselves. Read without a lock, done with guards, struck off last in the
 * same transaction: a crash between the transition and here loses nothing, and two who try do it once.
 */
export async function doEffects(ctx: Ctx): Promise<boolean> {
  const effects = await listEffects(ctx, PAGE);
  for (const effect of effects) {
    const triggered = await inTransaction(ctx, (tx) => doEffect(tx, effect));
    if (triggered) announceTriggered(ctx, triggered);
  }
  return effects.length === PAGE;
}

async function doEffect(tx: Ctx & InTransaction, effect: Effect): Promise<Triggered | undefined> {
  // First, so that a second who comes meanwhile waits here and finds nothing left to do.
  if (!(await strikeEffect(tx, effect))) return undefined;
  try {
    return await startOnFailure(tx, effect);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tx.log.warn({ effect, reason: error.message }, "an effect was refused and is given up");
    return undefined;
  }
}
