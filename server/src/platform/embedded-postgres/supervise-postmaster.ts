import { setTimeout as pause } from "node:timers/promises";
import { EmbeddedPostgresError, messageOf } from "./embedded-postgres-error.ts";
import { isRunning } from "./running-process.ts";
import { attachSupervisor, type Supervisor, type SupervisorPlan } from "./supervisor.ts";

export interface SupervisedPostmaster {
  /** Fast shutdown: open transactions are rolled back, and the server's process has exited when this returns. */
  stop: () => Promise<void>;
  /** Calls back when the server ended without `stop`. */
  onExit: (notify: () => void) => void;
}

const POLL_EVERY_MS = 250;
/** A supervisor that keeps dying must not cause a busy loop. */
const REPLACE_EVERY_MS = 100;
const MAX_STOP_MS = 30_000;
const MAX_REAPING_MS = 200;

/**
 * Watches the server and its supervisor. A killed supervisor is replaced, so that the server never runs unsupervised.
 */
export function supervisePostmaster(
  plan: SupervisorPlan,
  first: Supervisor,
  say: (line: string) => void,
): SupervisedPostmaster {
  const pid = first.postmasterPid;
  const listeners: (() => void)[] = [];
  let supervisor = first;
  let stopped: Promise<void> | undefined;

  const look = setInterval(() => {
    if (!isRunning(pid)) end();
  }, POLL_EVERY_MS);
  look.unref();
  watchSupervisor();

  function end() {
    clearInterval(look);
    supervisor.release();
    if (!stopped) for (const notify of listeners) notify();
  }

  function watchSupervisor() {
    supervisor.onGone(() => {
      if (isRunning(pid)) void replaceSupervisor();
    });
  }

  async function replaceSupervisor() {
    if (!stopped) say("The supervisor of the database was killed; starting another one");
    try {
      supervisor = await attachSupervisor(plan, pid);
    } catch (error) {
      say(messageOf(error));
    }
    if (stopped || !isRunning(pid)) supervisor.release();
    await pause(REPLACE_EVERY_MS, undefined, { ref: false });
    watchSupervisor();
  }

  async function stop() {
    clearInterval(look);
    supervisor.release();
    await waitForEnd(pid);
    await waitForSupervisor(supervisor);
  }

  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
    onExit: (notify) => void listeners.push(notify),
  };
}

async function waitForEnd(pid: number): Promise<void> {
  const deadline = Date.now() + MAX_STOP_MS;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new EmbeddedPostgresError(`PostgreSQL (pid ${pid}) does not stop`);
    await pause(10);
  }
}

/**
 * Gives the supervisor time to reap the server. A supervisor that is not its parent may see the dead server for
 * seconds.
 */
async function waitForSupervisor(supervisor: Supervisor): Promise<void> {
  const deadline = Date.now() + MAX_REAPING_MS;
  while (!supervisor.isGone()) {
    if (Date.now() > deadline) supervisor.kill();
    await pause(5);
  }
}
