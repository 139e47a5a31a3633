import { setTimeout as pause } from "node:timers/promises";
import { EmbeddedPostgresError, messageOf } from "./embedded-postgres-error.ts";
import { attachKeeper, type Keeper, type KeeperPlan } from "./keeper.ts";
import { isRunning } from "./running-process.ts";

export interface KeptPostmaster {
  /** Fast shutdown: open transactions are rolled back, and the server's process is gone when this returns. */
  stop: () => Promise<void>;
  /** Tells when the server ended without `stop`. */
  onExit: (tell: () => void) => void;
}

const LOOK_EVERY_MS = 250;
/** A keeper that cannot live must not become a busy loop. */
const REPLACE_EVERY_MS = 100;
const LONGEST_STOP_MS = 30_000;
const LONGEST_REAPING_MS = 200;

/** Watches the server and its keeper. A keeper that was killed is replaced, so that the server never runs unwatched. */
export function keepPostmaster(plan: KeeperPlan, first: Keeper, say: (line: string) => void): KeptPostmaster {
  const pid = first.postmasterPid;
  const listeners: (() => void)[] = [];
  let keeper = first;
  let stopped: Promise<void> | undefined;

  const look = setInterval(() => {
    if (!isRunning(pid)) end();
  }, LOOK_EVERY_MS);
  look.unref();
  watchKeeper();

  function end() {
    clearInterval(look);
    keeper.letGo();
    if (!stopped) for (const tell of listeners) tell();
  }

  function watchKeeper() {
    keeper.onGone(() => {
      if (isRunning(pid)) void replaceKeeper();
    });
  }

  async function replaceKeeper() {
    if (!stopped) say("The keeper of the database was killed; another one takes its place");
    try {
      keeper = await attachKeeper(plan, pid);
    } catch (error) {
      say(messageOf(error));
    }
    if (stopped || !isRunning(pid)) keeper.letGo();
    await pause(REPLACE_EVERY_MS, undefined, { ref: false });
    watchKeeper();
  }

  async function stop() {
    clearInterval(look);
    keeper.letGo();
    await waitForEnd(pid);
    await waitForKeeper(keeper);
  }

  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
    onExit: (tell) => void listeners.push(tell),
  };
}

async function waitForEnd(pid: number): Promise<void> {
  const deadline = Date.now() + LONGEST_STOP_MS;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new EmbeddedPostgresError(`PostgreSQL (pid ${pid}) does not stop`);
    await pause(10);
  }
}

/** Gives the keeper the time to reap the server. One that is not its parent may see the dead server for seconds. */
async function waitForKeeper(keeper: Keeper): Promise<void> {
  const deadline = Date.now() + LONGEST_REAPING_MS;
  while (!keeper.isGone()) {
    if (Date.now() > deadline) keeper.kill();
    await pause(5);
  }
}
