import { setTimeout as pause } from "node:timers/promises";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { logSize, readLogAfter } from "./log-file.ts";
import { isReady, removeReusedPidFile } from "./postmaster.ts";
import { isRunning } from "./running-process.ts";
import type { ServerSettings } from "./server-settings.ts";
import { type Supervisor, type SupervisorPlan, startServer } from "./supervisor.ts";

const TRIES = 20;
const TRY_EVERY_MS = 250;

/** Processes of a killed server that are still ending; they exit by themselves. */
const LEFTOVERS = /pre-existing shared memory block|lock file .* already exists/;

/** Starts the server and waits until it accepts connections, however long its crash recovery takes. */
export async function launchServer(
  plan: SupervisorPlan,
  settings: ServerSettings,
  say: (line: string) => void,
): Promise<Supervisor> {
  removeReusedPidFile(plan.clusterDir);
  for (let tries = 1; ; tries++) {
    const logged = logSize(plan.logFile);
    const supervisor = await startServer(plan, settings);
    if (await becomesReady(plan.clusterDir, supervisor.postmasterPid, say)) return supervisor;

    supervisor.release();
    const reason = readLogAfter(plan.logFile, logged);
    if (tries === TRIES || !LEFTOVERS.test(reason)) throw didNotStart(plan.logFile, reason);
    await pause(TRY_EVERY_MS);
  }
}

/** False when the server exits instead. */
export async function becomesReady(clusterDir: string, pid: number, say: (line: string) => void): Promise<boolean> {
  let saidAt = Date.now();
  while (!isReady(clusterDir, pid)) {
    if (!isRunning(pid)) return false;
    if (Date.now() - saidAt > 5_000) {
      saidAt = Date.now();
      say("PostgreSQL is still starting (it is recovering from a crash) …");
    }
    await pause(5);
  }
  return true;
}

function didNotStart(logFile: string, reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL did not start. Its log, ${logFile}, says:\n${reason || "(nothing)"}\nFix that, or set DATABASE_URL`,
  );
}
