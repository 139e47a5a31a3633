import { type Connection, connectionTo, urlOf } from "./connection.ts";
import { createDatabase } from "./create-database.ts";
import { createDataDir, logFileOf } from "./data-dir.ts";
import { EmbeddedPostgresError, messageOf } from "./embedded-postgres-error.ts";
import { endpointOf, openEndpoint } from "./endpoint.ts";
import { initCluster } from "./init-cluster.ts";
import { installBinaries } from "./install-binaries.ts";
import { becomesReady, launchServer } from "./launch-server.ts";
import { boundLog, rotateLog } from "./log-file.ts";
import { placeCluster } from "./place-cluster.ts";
import type { Postmaster } from "./postmaster.ts";
import { DEFAULT_SETTINGS, type ServerSettings, UNSAFE_SETTINGS } from "./server-settings.ts";
import { type KeptPostmaster, supervisePostmaster } from "./supervise-postmaster.ts";
import { attachSupervisor, type Supervisor, type SupervisorPlan } from "./supervisor.ts";
import { waitForOrphan } from "./wait-for-orphan.ts";

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

export interface EmbeddedPostgres extends KeptPostmaster {
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
  const place = placeCluster(dataDir, options.say);
  const binariesDir = await installBinaries({ user: place.user, cacheHome: options.cacheHome });
  const plan = { ...place, binariesDir, logFile: logFileOf(dataDir) };
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
