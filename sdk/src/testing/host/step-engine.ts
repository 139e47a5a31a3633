import { setTimeout as pause } from "node:timers/promises";
import { allLoops } from "@millrace/server/src/engine/all-loops.ts";
import { dispatcherOf } from "@millrace/server/src/engine/dispatcher.ts";
import { runTurn } from "@millrace/server/src/engine/run-turn.ts";
import { senderOf } from "@millrace/server/src/features/webhook-deliveries/sender.ts";
import { findLanes } from "@millrace/server/src/flow/find-lanes.ts";
import { whenProgressed } from "@millrace/server/src/flow/workflows/progress-soon.ts";
import type { Ctx } from "@millrace/server/src/platform/context.ts";
import { hasEffects } from "@millrace/server/src/platform/ledger/take-effects.ts";

/** What time moves, in the order in which one may make work for the next. */
const TIMED = [
  "fire-schedules",
  "start-due-workflow-runs",
  "time-out-workflow-runs",
  "resolve-due-triggers",
  "expire-runs",
  "sweep-leases",
  "release-rate-limits",
  "probe-circuits",
  "release-due-runs",
  "do-effects",
  "look-for-runs",
  "expand-run-events",
  "expand-workflow-events",
  "send-webhooks",
].map(dutyNamed);

const OTHERS = allLoops.filter((loop) => !TIMED.includes(loop));
/** Retention, roll-ups and the like: they matter to long tests alone, and would hold up the short ones. */
const OTHERS_EVERY_MS = 5_000;
const TIMED_EVERY_MS = 50;

export type Engine = { stop: () => Promise<void> };

function dutyNamed(name: string) {
  const duty = allLoops.find((loop) => loop.name === name);
  if (!duty) throw new Error(`there is no duty ${name}`);
  return duty;
}

/** Turns of the duties until nothing moves any more without time. Waits for dispatches under way. */
export async function settle(ctx: Ctx): Promise<void> {
  do {
    for (const duty of TIMED) while (await runTurn(ctx, duty));
    await dispatcherOf(ctx).idle();
    await whenProgressed(ctx);
    await senderOf(ctx).idle();
  } while (await isMoving(ctx));
}

async function isMoving(ctx: Ctx): Promise<boolean> {
  return (await findLanes(ctx, undefined, 1)).length > 0 || (await hasEffects(ctx));
}

/** The duties in place of their loops: never while the clock is being moved, so `alone` is asked for every turn. */
export function runDuties(ctx: Ctx, alone: (turn: () => Promise<void>) => Promise<void>): Engine {
  let isStopped = false;
  let othersAt = performance.now() + OTHERS_EVERY_MS;

  async function turn(): Promise<void> {
    for (const duty of TIMED) await runTurn(ctx, duty);
    if (performance.now() < othersAt) return;
    othersAt = performance.now() + OTHERS_EVERY_MS;
    for (const duty of OTHERS) await runTurn(ctx, duty);
  }

  async function goOn(): Promise<void> {
    while (!isStopped) {
      await alone(turn).catch((error) => ctx.log.warn({ reason: String(error) }, "a duty failed"));
      await pause(TIMED_EVERY_MS);
    }
  }

  const running = goOn();
  return {
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}
