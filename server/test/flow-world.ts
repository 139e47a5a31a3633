import { allLoops } from "../src/engine/all-loops.ts";
import { dispatcherOf } from "../src/engine/dispatcher.ts";
import { runTurn } from "../src/engine/run-turn.ts";
import { findLanes } from "../src/flow/find-lanes.ts";
import { whenProgressed } from "../src/flow/workflows/progress-soon.ts";
import type { Ctx } from "../src/platform/context.ts";
import { listEffects } from "../src/platform/ledger/take-effects.ts";
import type { Loop } from "../src/platform/loop.ts";
import { runSql } from "./database.ts";
import { makeWorld, type World } from "./world.ts";

/** Tasks that move runs and workflow runs. Those of 5 s and more run when that time has passed on the test's clock. */
const TASKS = [
  "release-due-runs",
  "release-rate-limits",
  "expire-runs",
  "resolve-due-triggers",
  "fire-schedules",
  "time-out-workflow-runs",
  "renew-leases",
  "sweep-leases",
  "reconcile-queue",
  "reconcile-dependencies",
  "reconcile-triggers",
  "reconcile-workflows",
  "sweep-cancel-keys",
  "finish-bulk-cancels",
];
const MOVING = ["do-effects", "start-due-workflow-runs", "read-circuits", "probe-circuits", "look-for-runs"];
const SELDOM_MS = 5_000;
/** Runs that are claimable and still do not move wait for another task. */
const MOST_ROUNDS = 10;

const named = (names: string[]) => names.flatMap((name) => allLoops.filter((loop) => loop.name === name));
const timers = named(TASKS);
const moving = named(MOVING);

/**
 * A world whose `runUntilIdle` runs only the tasks that move runs, at a third of the cost. Rollups, the search index,
 * webhooks, log drains, budgets and canaries stand still: a test about them calls `makeWorld`.
 */
export async function makeFlowWorld(...options: Parameters<typeof makeWorld>): Promise<World> {
  const world = await makeWorld(...options);
  const { ctx, connection } = world;
  const ranAtMs = new Map<Loop, number>();

  function isDue(loop: Loop, nowMs: number): boolean {
    if (loop.everyMs < SELDOM_MS) return true;
    const before = ranAtMs.get(loop) ?? nowMs;
    const isTime = Math.abs(nowMs - before) >= loop.everyMs;
    ranAtMs.set(loop, isTime ? nowMs : before);
    return isTime;
  }

  async function hasMore(): Promise<boolean> {
    if ((await findLanes(ctx, undefined, 1)).length > 0 || (await listEffects(ctx, 1)).length > 0) return true;
    return (await runSql(connection, DUE_WORKFLOW_RUN)).length > 0;
  }

  /** Answers how many rounds it took until no run moved. */
  async function moveRuns(): Promise<number> {
    for (let rounds = 1; ; rounds++) {
      await runAll(ctx, moving);
      // Progress may create runs, whose ends are then progressed too.
      do await dispatcherOf(ctx).idle();
      while (await whenProgressed(ctx));
      if (rounds === MOST_ROUNDS || !(await hasMore())) return rounds;
    }
  }

  async function runUntilIdle(): Promise<void> {
    do {
      const nowMs = Date.parse(await world.clock.now());
      await runAll(
        ctx,
        timers.filter((loop) => isDue(loop, nowMs)),
      );
    } while ((await moveRuns()) > 1 || (await hasMore()));
  }

  return { ...world, runUntilIdle };
}

async function runAll(ctx: Ctx, loops: readonly Loop[]): Promise<void> {
  for (const loop of loops) while (await runTurn(ctx, loop));
}

const DUE_WORKFLOW_RUN = `
  select 1 from workflow_runs where status = 'pending' and parked_on is null and scheduled_at <= clock() limit 1`;
