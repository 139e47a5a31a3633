import type { Ctx } from "../platform/context.ts";
import type { Loop } from "../platform/loop.ts";
import { tellFailure } from "../platform/tell-failure.ts";
import { giveUpLead, takeLead, takeLeadEarly } from "./lead.ts";
import { runTurn } from "./run-turn.ts";

export type RunningLoops = { stop: () => Promise<void> };

/** First turns are spread, so that a service that starts does not ask for everything at once. */
const LONGEST_START_MS = 2_000;
const JITTER = 0.1; // so that instances that started together do not ask together

/** Runs every duty at its pace until stopped; `stop` waits for the turns under way. */
export function runLoops(ctx: Ctx, loops: readonly Loop[]): RunningLoops {
  const running = loops.map((loop) => runLoop(ctx, loop));
  return {
    stop: async () => {
      await Promise.all(running.map((loop) => loop.stop()));
    },
  };
}

function runLoop(ctx: Ctx, loop: Loop): RunningLoops {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> | undefined;
  let woken = false;

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    ctx.state.dutyDueAt.set(loop.name, performance.now() + delayMs);
    timer = setTimeout(start, delayMs).unref();
  }

  function start(): void {
    const take = woken ? takeLeadEarly : takeLead;
    woken = false;
    const startedAt = performance.now();
    turn = takeTurn(ctx, loop, take).then((more) => {
      turn = undefined;
      const restMs = (loop.rests ?? 0) * (performance.now() - startedAt);
      schedule(more || woken ? restMs : loop.everyMs * (1 + (Math.random() * 2 - 1) * JITTER));
    });
  }

  function wake(): void {
    woken = true;
    if (!turn) schedule(0);
  }

  const forget = loop.wakeOn === undefined ? () => {} : ctx.wakeup.onWake(loop.wakeOn, () => wake());
  schedule(Math.random() * Math.min(loop.everyMs, LONGEST_START_MS));
  return {
    stop: async () => {
      stopped = true;
      forget();
      clearTimeout(timer);
      await turn;
      ctx.state.dutyDueAt.delete(loop.name);
    },
  };
}

/** One turn, never throwing: a duty that fails is told in the log and tried again at its next time. */
async function takeTurn(ctx: Ctx, loop: Loop, take: typeof takeLead): Promise<boolean> {
  let outcome = "done";
  let more = false;
  try {
    more = await runTurn(ctx, loop.oneInstance ? { ...loop, runOnce: () => runAsLead(ctx, loop, take) } : loop);
  } catch (error) {
    outcome = "failed";
    tellFailure(ctx, error, { duty: loop.name }, "a duty failed");
  }
  ctx.metrics.dutyRuns.inc({ duty: loop.name, outcome });
  return more;
}

async function runAsLead(ctx: Ctx, loop: Loop, take: typeof takeLead): Promise<boolean> {
  if (!(await take(ctx, loop))) return false;
  let more = false;
  try {
    more = await loop.runOnce(ctx);
  } finally {
    await giveUpLead(ctx, loop, more);
  }
  return more;
}
