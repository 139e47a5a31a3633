import { allLoops } from "../src/engine/all-loops.ts";
import { dispatcherOf } from "../src/engine/dispatcher.ts";
import { drainerOf } from "../src/features/log-drains/drainer.ts";
import { senderOf } from "../src/features/webhook-deliveries/sender.ts";
import { findLanes } from "../src/flow/find-lanes.ts";
import { whenProgressed } from "../src/flow/workflows/progress-soon.ts";
import type { Ctx } from "../src/platform/context.ts";
import { listEffects } from "../src/platform/ledger/take-effects.ts";
import type { Loop } from "../src/platform/loop.ts";
import type { TestConnection } from "./database.ts";
import { logsSettled } from "./logs-settled.ts";

/** Duties that come round seldom (retention, reconciliation) are stepped once: what moves runs does not wait for them. */
const SELDOM_MS = 30_000;

const followers = allLoops.filter(({ followsLog }) => followsLog);
const others = allLoops.filter(({ followsLog }) => !followsLog);
const frequent = others.filter(({ everyMs }) => everyMs < SELDOM_MS);
const moving = others.filter(({ name }) => name === "look-for-runs" || name === "do-effects");

/**
 * Turns of every duty, until no run is claimable and no effect is left to be done. A turn costs statements even when
 * nothing is due, so while runs move only the duties that move them are stepped, and the others once they rest.
 */
export async function runUntilIdle(ctx: Ctx, connection: TestConnection): Promise<void> {
  let duties = others;
  let rounds: number;
  do {
    await stepAll(ctx, duties);
    rounds = await moveRuns(ctx);
    await logsSettled(connection);
    await stepAll(ctx, followers);
    await senderOf(ctx).idle();
    await drainerOf(ctx).idle();
    duties = frequent;
  } while (rounds > 1 || (await hasMore(ctx)));
}

/** Answers how many rounds it took until they rested. */
async function moveRuns(ctx: Ctx): Promise<number> {
  for (let rounds = 1; ; rounds++) {
    await dispatcherOf(ctx).idle();
    await whenProgressed(ctx);
    if (!(await hasMore(ctx))) return rounds;
    await stepAll(ctx, moving);
  }
}

async function stepAll(ctx: Ctx, loops: readonly Loop[]): Promise<void> {
  for (const loop of loops) while (await loop.runOnce(ctx));
}

async function hasMore(ctx: Ctx): Promise<boolean> {
  return (await findLanes(ctx, undefined, 1)).length > 0 || (await listEffects(ctx, 1)).length > 0;
}
