import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { findPostmaster, type Postmaster } from "./postmaster.ts";
import { attachSupervisor, isSupervised, type SupervisorPlan } from "./supervisor.ts";

const MAX_WAIT_MS = 20_000;

/**
 * Returns the server that an earlier service left running unsupervised, if any. A server with a supervisor is shutting
 * down, because the service that held this data directory is dead: waits for that.
 */
export async function waitForOrphan(plan: SupervisorPlan): Promise<Postmaster | undefined> {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const running = findPostmaster(plan.clusterDir);
    if (!running) return undefined;
    const isOrphan = !isSupervised(plan.clusterDir) && running.status !== "stopping";
    if (isOrphan && isReachable(running)) return running;
    if (isOrphan) (await attachSupervisor(plan, running.pid)).release();
    if (Date.now() > deadline) throw inUse(plan.clusterDir, running);
    await pause(20);
  }
}

/** A cleaner of temporary files may have removed the socket; such a server can only be stopped. */
function isReachable({ status, socketDir, port }: Postmaster): boolean {
  return status !== "ready" || socketDir === "" || existsSync(join(socketDir, `.s.PGSQL.${port}`));
}

function inUse(clusterDir: string, { pid }: Postmaster): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${clusterDir} (PostgreSQL, pid ${pid}) is in use by another process. ` +
      "Stop that one first, or choose another data directory",
  );
}
