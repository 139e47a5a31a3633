import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../platform/logging/log.ts";
import type { Service } from "./open-service.ts";
import type { StartedDatabase } from "./start-database.ts";

const FORCE_EXIT_AFTER_GRACE_MS = 5_000;
const MIN_CLOSING_MS = 100;
const SAME_KEYSTROKE_MS = 1_000; // one Ctrl-C reaches us twice: from the terminal, and forwarded by npm

type Running = { service: Service; database: StartedDatabase; release: () => void; log: Log };

/**
 * SIGTERM and Ctrl-C shut down in order: readiness turns 503, load balancers get a moment to notice, requests and tasks
 * in progress end or are aborted after the grace period, connections close, and the database last. A second signal
 * exits at once.
 */
export function stopOnSignal(running: Running): void {
  let firstSignalAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstSignalAt !== undefined) {
      if (performance.now() - firstSignalAt > SAME_KEYSTROKE_MS) process.exit(signal === "SIGINT" ? 130 : 143);
      return;
    }
    firstSignalAt = performance.now();
    void stop(running, signal).then((code) => process.exit(code));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

async function stop({ service, database, release, log }: Running, signal: string): Promise<number> {
  const { config, state } = service.ctx;
  log.info({ signal }, "stopping");
  state.draining = true;
  const graceMs = config.shutdown_grace_secs * 1_000;
  const exitTimer = setTimeout(() => {
    log.error("the grace period has passed; exiting with unfinished work");
    process.exit(1);
  }, graceMs + FORCE_EXIT_AFTER_GRACE_MS).unref();

  try {
    const noticedMs = noticeMs(config.mode, graceMs);
    await pause(noticedMs);
    setTimeout(() => cutOff(service, log), Math.max(MIN_CLOSING_MS, graceMs - noticedMs)).unref();
    await service.close();
    await database.stop();
    return 0;
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, "the shutdown was not clean");
    return 1;
  } finally {
    clearTimeout(exitTimer);
    release();
    log.info("stopped");
  }
}

function cutOff({ app }: Service, log: Log): void {
  log.warn("the grace period has passed; aborting requests in progress");
  app.server.closeAllConnections();
}

/**
 * How long readiness returns 503 while requests are still served. At a terminal there is no load balancer, so no delay.
 */
function noticeMs(mode: string, graceMs: number): number {
  return mode === "serve" ? Math.min(5_000, graceMs / 6) : 0;
}
