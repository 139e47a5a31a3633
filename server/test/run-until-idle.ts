import { allLoops } from "../src/engine/all-loops.ts";
import { dispatchLoops } from "../src/engine/dispatch-loops.ts";
import { dispatcherOf } from "../src/engine/dispatcher.ts";
import { runTurn } from "../src/engine/run-turn.ts";
import { drainerOf } from "../src/features/log-drains/drainer.ts";
import { senderOf } from "../src/features/webhook-deliveries/sender.ts";
import { findLanes } from "../src/flow/find-lanes.ts";
import { whenProgressed } from "../src/flow/workflows/progress-soon.ts";
import type { Ctx } from "../src/platform/context.ts";
import { hasEffects } from "../src/platform/ledger/take-effects.ts";
import type { Loop } from "../src/platform/loop.ts";
import { runSql, type TestConnection } from "./database.ts";
import { logsSettled } from "./logs-settled.ts";

/** Tasks that run this seldom run here when their time has passed on the test's clock. */
const SELDOM_MS = 5_000;
/** And those of minutes and hours not at all: retention and partitions cost more than most tests, which name them. */
const NAMED_ONLY_MS = 60_000;

const MOVING = ["do-effects", "start-due-workflow-runs"];
const moving = allLoops.filter((loop) => MOVING.includes(loop.name) || dispatchLoops.includes(loop));
/** Runs that are claimable and still do not move wait for another task. */
const MOST_ROUNDS = 10;

/**
 * Makes the function that runs tasks until no run is claimable, no effect is left to be done, and no workflow run is
 * due. A task costs statements even when nothing is due, so while runs move only the tasks that move them are run, and
 * those of `tasks` once nothing moves.
 */
export function openRunUntilIdle(
  ctx: Ctx,
  connection: TestConnection,
  tasks: readonly Loop[] = allLoops,
): () => Promise<void> {
  const frequent = tasks.filter(({ everyMs }) => everyMs < NAMED_ONLY_MS);
  const consumers = frequent.filter(({ followsLog }) => followsLog);
  const others = frequent.filter(({ followsLog }) => !followsLog);
  const seldomAtMs = new Map<Loop, number>();

  function isDue(loop: Loop, nowMs: number): boolean {
    if (loop.everyMs < SELDOM_MS) return true;
    const before = seldomAtMs.get(loop) ?? nowMs;
    const isTime = Math.abs(nowMs - before) >= loop.everyMs;
    seldomAtMs.set(loop, isTime ? nowMs : before);
    return isTime;
  }

  async function consumeLogs(): Promise<void> {
    if (consumers.length === 0) return;
    await logsSettled(connection);
    await runAll(ctx, consumers);
    await senderOf(ctx).idle();
    await drainerOf(ctx).idle();
  }

  return async () => {
    for (;;) {
      const nowMs = await readClock(connection);
      await runAll(
        ctx,
        others.filter((loop) => isDue(loop, nowMs)),
      );
      const rounds = await moveRuns(ctx, connection);
      await consumeLogs();
      if (rounds === 1 && !(await hasMore(ctx, connection))) return;
    }
  };
}

async function runAll(ctx: Ctx, loops: readonly Loop[]): Promise<void> {
  for (const loop of loops) while (await runTurn(ctx, loop));
}

/** Answers how many rounds it took until no run moved. */
async function moveRuns(ctx: Ctx, connection: TestConnection): Promise<number> {
  for (let rounds = 1; ; rounds++) {
    // Progress may start runs, whose ends are then progressed too.
    do await dispatcherOf(ctx).idle();
    while (await whenProgressed(ctx));
    if (rounds === MOST_ROUNDS || !(await hasMore(ctx, connection))) return rounds;
    await runAll(ctx, moving);
  }
}

async function readClock(connection: TestConnection): Promise<number> {
  const [row] = await runSql<{ now: Date }>(connection, "select clock() as now");
  return row?.now.getTime() ?? 0;
}

async function hasMore(ctx: Ctx, connection: TestConnection): Promise<boolean> {
  if ((await findLanes(ctx, undefined, 1)).length > 0 || (await hasEffects(ctx))) return true;
  return (await runSql(connection, DUE_WORKFLOW_RUN)).length > 0;
}

/** Those of steps are created pending: the pass that created them has not started them. */
const DUE_WORKFLOW_RUN = `
  select 1 from workflow_runs where status = 'pending' and parked_on is null and scheduled_at <= clock() limit 1`;
