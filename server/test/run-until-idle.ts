import { allLoops } from "../src/engine/all-loops.ts";
import { dispatchLoops } from "../src/engine/dispatch-loops.ts";
import { dispatcherOf } from "../src/engine/dispatcher.ts";
import { runTurn } from "../src/engine/run-turn.ts";
import { drainerOf } from "../src/features/log-drains/drainer.ts";
import { senderOf } from "../src/features/webhook-deliveries/sender.ts";
import { findLanes } from "../src/flow/find-lanes.ts";
import { whenProgressed } from "../src/flow/workflows/progress-soon.ts";
import type { Ctx } from "../src/platform/context.ts";
import { listEffects } from "../src/platform/ledger/take-effects.ts";
import type { Loop } from "../src/platform/loop.ts";
import { runSql, type TestConnection } from "./database.ts";
import { logsSettled } from "./logs-settled.ts";

/** Tasks that run this seldom run here when their time has passed on the test's clock. */
const SELDOM_MS = 5_000;
/** And those of minutes and hours not at all: retention and partitions cost more than most tests, which name them. */
const NAMED_ONLY_MS = 60_000;

const followers = allLoops.filter(({ followsLog, everyMs }) => followsLog && everyMs < NAMED_ONLY_MS);
const others = allLoops.filter(({ followsLog, everyMs }) => !followsLog && everyMs < NAMED_ONLY_MS);
const MOVING = ["do-effects", "start-due-workflow-runs"];
const moving = others.filter((loop) => MOVING.includes(loop.name) || dispatchLoops.includes(loop));
/** Runs that are claimable and do not move wait for another duty. */
const MOST_ROUNDS = 10;

/**
 * Makes the function that takes turns of the duties until no run is claimable, no effect is left to be done, and no
 * workflow run is due. A turn costs statements even when nothing is due, so while runs move only the duties that move them are
 * stepped, and the others once they rest.
 */
export function openRunUntilIdle(ctx: Ctx, connection: TestConnection): () => Promise<void> {
  const seldomAtMs = new Map<Loop, number>();

  function isDue(loop: Loop, nowMs: number): boolean {
    if (loop.everyMs < SELDOM_MS) return true;
    const before = seldomAtMs.get(loop) ?? nowMs;
    const isTime = Math.abs(nowMs - before) >= loop.everyMs;
    seldomAtMs.set(loop, isTime ? nowMs : before);
    return isTime;
  }

  return async () => {
    for (;;) {
      const nowMs = await readClock(connection);
      await stepAll(
        ctx,
        others.filter((loop) => isDue(loop, nowMs)),
      );
      const rounds = await moveRuns(ctx, connection);
      await logsSettled(connection);
      await stepAll(ctx, followers);
      await senderOf(ctx).idle();
      await drainerOf(ctx).idle();
      if (rounds === 1 && !(await hasMore(ctx, connection))) return;
    }
  };
}

async function stepAll(ctx: Ctx, loops: readonly Loop[]): Promise<void> {
  for (const loop of loops) while (await runTurn(ctx, loop));
}

/** Answers how many rounds it took until they rested. */
async function moveRuns(ctx: Ctx, connection: TestConnection): Promise<number> {
  for (let rounds = 1; ; rounds++) {
    // What is progressed may start runs, whose ends are to be progressed in their turn.
    do await dispatcherOf(ctx).idle();
    while (await whenProgressed(ctx));
    if (rounds === MOST_ROUNDS || !(await hasMore(ctx, connection))) return rounds;
    await stepAll(ctx, moving);
  }
}

async function readClock(connection: TestConnection): Promise<number> {
  const [row] = await runSql<{ now: Date }>(connection, "select clock() as now");
  return row?.now.getTime() ?? 0;
}

async function hasMore(ctx: Ctx, connection: TestConnection): Promise<boolean> {
  if ((await findLanes(ctx, undefined, 1)).length > 0 || (await listEffects(ctx, 1)).length > 0) return true;
  return (await runSql(connection, DUE_WORKFLOW_RUN)).length > 0;
}

/** Those of steps are born pending: the turn that bore them has not started them. */
const DUE_WORKFLOW_RUN = `
  select 1 from workflow_runs where status = 'pending' and parked_on is null and scheduled_at <= clock() limit 1`;
