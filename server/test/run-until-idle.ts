import { allLoops } from "../src/engine/all-loops.ts";
import { dispatchLoops } from "../src/engine/dispatch-loops.ts";
import { dispatcherOf } from "../src/engine/dispatcher.ts";
import { drainerOf } from "../src/features/log-drains/drainer.ts";
import { senderOf } from "../src/features/webhook-deliveries/sender.ts";
import { findLanes } from "../src/flow/find-lanes.ts";
import { whenProgressed } from "../src/flow/workflows/progress-soon.ts";
import type { Ctx } from "../src/platform/context.ts";
import { listEffects } from "../src/platform/ledger/take-effects.ts";
import type { Loop } from "../src/platform/loop.ts";
import { runSql, type TestConnection } from "./database.ts";
import { type Glance, glanceAt } from "./filled-tables.ts";
import { logsSettled } from "./logs-settled.ts";
import { openStepAll } from "./resting-duties.ts";

const followers = allLoops.filter(({ followsLog }) => followsLog);
/** It has no place in a log, and looks for lines that any request may have written. */
const drains = followers.filter(({ name }) => name === "drain-logs");
const others = allLoops.filter(({ followsLog }) => !followsLog);
const MOVING = ["do-effects", "start-due-workflow-runs"];
const moving = others.filter((loop) => MOVING.includes(loop.name) || dispatchLoops.includes(loop));
/** Runs that are claimable and do not move wait for another duty. */
const MOST_ROUNDS = 10;

type StepAll = ReturnType<typeof openStepAll>;

/** Duties that come round seldom do so here too: at first, and when their time has passed on the test's clock. */
const SELDOM_MS = 5_000;
/** And those of the hours not at first: new partitions cost more than most tests. */
const HOURLY_MS = 3_600_000;

/**
 * Makes the function that takes turns of the duties until no run is claimable, no effect is left to be done, and no
 * workflow run is due. A turn costs statements even when nothing is due, so while runs move only the duties that move them are stepped, and the
 * others once they rest.
 */
export function openRunUntilIdle(ctx: Ctx, connection: TestConnection): () => Promise<void> {
  const seldomAtMs = new Map<Loop, number>();
  const stepAll = openStepAll(ctx, connection);

  function isDue(loop: Loop, nowMs: number): boolean {
    if (loop.everyMs < SELDOM_MS) return true;
    const before = seldomAtMs.get(loop) ?? (loop.everyMs < HOURLY_MS ? 0 : nowMs);
    const isTime = Math.abs(nowMs - before) >= loop.everyMs;
    seldomAtMs.set(loop, isTime ? nowMs : before);
    return isTime;
  }

  let followedAtMs = 0;

  /** With nothing to read only when time has passed, which places tell too: half of all statements were such turns. */
  async function follow(nowMs: number, glance: Glance): Promise<Glance> {
    const isSoon = Math.abs(nowMs - followedAtMs) < SELDOM_MS;
    if (isSoon && glance.areLogsRead) {
      await stepAll(drains, glance);
      return glance;
    }
    await logsSettled(connection);
    followedAtMs = nowMs;
    await stepAll(followers, glance);
    return glanceAt(connection);
  }

  return async () => {
    // Each is made for the context that first asks for it, which is not to be one that is listened to.
    const [, sender, drainer] = [dispatcherOf(ctx), senderOf(ctx), drainerOf(ctx)];
    for (;;) {
      const [nowMs, before] = [await readClock(connection), await glanceAt(connection)];
      await stepAll(
        others.filter((loop) => isDue(loop, nowMs)),
        before,
      );
      const { rounds, after } = await moveRuns(ctx, connection, stepAll);
      const end = await follow(nowMs, after);
      await sender.idle();
      await drainer.idle();
      // Rows in a table that was empty may be for a duty that rested.
      const isNew = [...after.filled].some((table) => !before.filled.has(table));
      if (rounds === 1 && !isNew && !(await hasMore(ctx, connection, end))) return;
    }
  };
}

/** Answers how many rounds it took until they rested, and what there is then. */
async function moveRuns(ctx: Ctx, connection: TestConnection, stepAll: StepAll) {
  for (let rounds = 1; ; rounds++) {
    // What is progressed may start runs, whose ends are to be progressed in their turn.
    do await dispatcherOf(ctx).idle();
    while (await whenProgressed(ctx));
    const after = await glanceAt(connection);
    if (rounds === MOST_ROUNDS || !(await hasMore(ctx, connection, after))) return { rounds, after };
    await stepAll(moving, after);
  }
}

async function readClock(connection: TestConnection): Promise<number> {
  const [row] = await runSql<{ now: Date }>(connection, "select clock() as now");
  return row?.now.getTime() ?? 0;
}

async function hasMore(ctx: Ctx, connection: TestConnection, { filled }: Glance): Promise<boolean> {
  if (filled.has("run_queue") && (await findLanes(ctx, undefined, 1)).length > 0) return true;
  if (filled.has("effects") && (await listEffects(ctx, 1)).length > 0) return true;
  return filled.has("workflow_runs") && (await runSql(connection, DUE_WORKFLOW_RUN)).length > 0;
}

/** Those of steps are born pending: the turn that bore them has not started them. */
const DUE_WORKFLOW_RUN = `
  select 1 from workflow_runs where status = 'pending' and parked_on is null and scheduled_at <= clock() limit 1`;
