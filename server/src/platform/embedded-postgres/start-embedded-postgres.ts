import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createDataDir, logFileOf } from "./cluster/data-dir.ts";
import { initCluster } from "./cluster/init-cluster.ts";
import { locateCluster } from "./cluster/locate-cluster.ts";
import { type Connection, connectionTo, urlOf, withClient } from "./connection.ts";
import { EmbeddedPostgresError, messageOf } from "./embedded-postgres-error.ts";
import { endpointOf, openEndpoint } from "./endpoint.ts";
import { installBinaries } from "./install-binaries.ts";
import { becomesReady, launchServer } from "./launch-server.ts";
import { boundLog, rotateLog } from "./log-file.ts";
import { findPostmaster, type Postmaster } from "./postmaster.ts";
import { DEFAULT_SETTINGS, type ServerSettings, UNSAFE_SETTINGS } from "./server-settings.ts";
import { type SupervisedPostmaster, supervisePostmaster } from "./supervise-postmaster.ts";
import { attachSupervisor, isSupervised, type Supervisor, type SupervisorPlan } from "./supervisor.ts";

export interface StartOptions {
  dataDir: string;
  say: (line: string) => void;
  /** On by default; tests may switch it off. */
  fsync?: boolean;
  /** PostgreSQL settings that extend or override ours. */
  settings?: ServerSettings;
  /** The value of XDG_CACHE_HOME, if set. */
  cacheHome?: string | undefined;
}

export interface EmbeddedPostgres extends SupervisedPostmaster {
  connection: Connection;
  url: string;
  pid: number;
}

/**
 * Starts the database of a data directory, creating it if there is none; one that an earlier service left running is
 * adopted. Every failure is an EmbeddedPostgresError.
 */
export async function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL did not start: ${messageOf(error)}. Fix that, or set DATABASE_URL`,
      { cause: error },
    );
  }
}

interface Started {
  supervisor: Supervisor;
  connection: Connection;
}

async function start(options: StartOptions): Promise<EmbeddedPostgres> {
  const dataDir = createDataDir(options.dataDir);
  const location = locateCluster(dataDir, options.say);
  const binariesDir = await installBinaries({ user: location.user, cacheHome: options.cacheHome });
  const plan = { ...location, binariesDir, logFile: logFileOf(dataDir) };
  rotateLog(plan.logFile);

  const orphan = await waitForOrphan(plan);
  const started = orphan ? await adopt(dataDir, plan, orphan, options) : await launch(dataDir, plan, options);
  await createDatabaseOrRelease(started);
  return handOver(plan, started, options.say);
}

async function launch(dataDir: string, plan: SupervisorPlan, options: StartOptions): Promise<Started> {
  const { fsync = true, settings = {}, say } = options;
  const endpoint = await openEndpoint(dataDir, plan);
  await initCluster({ ...plan, fsync, passwordFile: endpoint.passwordFile });

  const safety = fsync ? {} : UNSAFE_SETTINGS;
  const supervisor = await launchServer(
    plan,
    { ...DEFAULT_SETTINGS, ...safety, ...settings, ...endpoint.settings },
    say,
  );
  return { supervisor, connection: connectionTo(endpoint) };
}

async function adopt(
  dataDir: string,
  plan: SupervisorPlan,
  orphan: Postmaster,
  options: StartOptions,
): Promise<Started> {
  options.say(`PostgreSQL (pid ${orphan.pid}) is still running; adopting it with its current settings`);
  const supervisor = await attachSupervisor(plan, orphan.pid);
  if (await becomesReady(plan.clusterDir, orphan.pid, options.say)) {
    return { supervisor, connection: connectionTo(endpointOf(dataDir, orphan)) };
  }
  supervisor.release();
  return launch(dataDir, plan, options);
}

async function createDatabaseOrRelease({ supervisor, connection }: Started): Promise<void> {
  try {
    await createDatabase(connection);
  } catch (error) {
    supervisor.release();
    throw error;
  }
}

function handOver(
  plan: SupervisorPlan,
  { supervisor, connection }: Started,
  say: (line: string) => void,
): EmbeddedPostgres {
  const kept = supervisePostmaster(plan, supervisor, say);
  const unboundLog = boundLog(plan.logFile);
  const stop = () => {
    unboundLog();
    return kept.stop();
  };
  return { connection, url: urlOf(connection), pid: supervisor.postmasterPid, stop, onExit: kept.onExit };
}

/** Creates the connection's database if it is missing, which also proves that the server responds. */
async function createDatabase(connection: Connection): Promise<void> {
  await withClient({ ...connection, database: "postgres" }, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [connection.database]);
    if (rowCount === 0) await client.query(`create database ${connection.database}`);
  });
}

const MAX_WAIT_MS = 20_000;

/**
 * Returns the server that an earlier service left running unsupervised, if any. A server with a supervisor is shutting
 * down, because the service that held this data directory is dead: waits for that.
 */
async function waitForOrphan(plan: SupervisorPlan): Promise<Postmaster | undefined> {
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
