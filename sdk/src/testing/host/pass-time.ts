import { dispatcherOf } from "@millrace/server/src/engine/dispatcher.ts";
import type { Ctx } from "@millrace/server/src/platform/context.ts";
import { hasEnded, nextDueMs } from "./next-due.ts";
import { settle } from "./step-engine.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Advances the clock, and stops at everything that becomes due on the way. */
export async function passTime(ctx: Ctx, clock: VirtualClock, secs: number): Promise<void> {
  await settle(ctx);
  const untilMs = (await clock.nowMs()) + secs * 1_000;
  for (;;) {
    const dueMs = await nextDueMs(ctx);
    if (dueMs === undefined || dueMs >= untilMs) break;
    await moveTo(ctx, clock, dueMs);
  }
  await moveTo(ctx, clock, untilMs);
}

export type Passed = "ended" | "moved" | "nothing_due";

/** Advances to the next due item, unless the awaited run has ended. */
export async function passToNext(ctx: Ctx, clock: VirtualClock, waitedFor: string): Promise<Passed> {
  await settle(ctx);
  if (await hasEnded(ctx, waitedFor)) return "ended";
  const dueMs = await nextDueMs(ctx);
  if (dueMs === undefined) return "nothing_due";
  await moveTo(ctx, clock, dueMs);
  return (await hasEnded(ctx, waitedFor)) ? "ended" : "moved";
}

async function moveTo(ctx: Ctx, clock: VirtualClock, ms: number): Promise<void> {
  await clock.moveTo(ms);
  // A run started at this very moment must not look orphaned.
  await dispatcherOf(ctx).renew();
  await settle(ctx);
}
