import type { FastifyInstance } from "fastify";
import { allRoutes } from "../api/all-routes.ts";
import { buildApi } from "../api/build-api.ts";
import { allTasks } from "../engine/all-tasks.ts";
import { type RunningTasks, runTasks } from "../engine/run-tasks.ts";
import { type RunningDispatcher, startDispatcher } from "../engine/start-dispatcher.ts";
import { drainerOf } from "../features/log-drains/drainer.ts";
import { retireInstance } from "../features/operations/register-instance.ts";
import { operationRoutes } from "../features/operations/routes.ts";
import { sourceDrainerOf } from "../features/outbox-sources/drainer.ts";
import { senderOf } from "../features/webhook-deliveries/sender.ts";
import { outboxOf } from "../flow/outbox.ts";
import { connectStarter } from "../flow/runs/create/start-locally.ts";
import { openKeyCache } from "../platform/access/credentials/key-cache.ts";
import type { Ctx } from "../platform/context.ts";
import type { DatabaseConnection } from "../platform/database/connection.ts";
import { watchDatabase } from "../platform/database/database-watch.ts";
import { type Database, openDatabase } from "../platform/database/db.ts";
import { TIMEOUTS, type Timeouts } from "../platform/database/timeouts.ts";
import { newId } from "../platform/ids.ts";
import type { Log } from "../platform/logging/log.ts";
import { makeMetrics } from "../platform/metrics/metrics.ts";
import { makeOutgoing } from "../platform/outgoing/guarded-agent.ts";
import type { Route } from "../platform/route.ts";
import { openEncryption } from "../platform/secrets/encryption.ts";
import { newServiceState } from "../platform/service-state.ts";
import type { Config } from "../platform/settings/config.ts";
import { openWakeup } from "../platform/wakeups/wakeup.ts";

export type Service = {
  ctx: Ctx;
  app: FastifyInstance;
  startTasks: () => void;
  /** Closes HTTP, then tasks, then connections, and waits for the requests and passes in progress. */
  close: () => Promise<void>;
};

export type Connections = { work: DatabaseConnection; direct: DatabaseConnection };

/** One instance of the service on a migrated database. Nothing listens or runs yet. */
export async function openService(
  config: Config,
  connections: Connections,
  log: Log,
  extraRoutes: readonly Route[] = [],
  timeouts = TIMEOUTS,
): Promise<Service> {
  const database = openDatabase(connections.work, connections.direct, log, timeouts);
  const ctx = openContext(config, database, log, timeouts);
  return assembleService(ctx, await buildApi(ctx, [...routesOf(config), ...extraRoutes]), database);
}

/** An instance with only the engine still serves health and metrics. */
export function routesOf({ roles }: Config): readonly Route[] {
  return roles.has("api") ? allRoutes : operationRoutes;
}

/** Assembles the parts of an instance. */
export function assembleService(
  ctx: Ctx,
  app: FastifyInstance,
  database: Database,
  closeApi: () => Promise<unknown> = () => app.close(),
): Service {
  ctx.watch.start();
  const stopSampling = ctx.metrics.process.sampleLag();
  let tasks: RunningTasks | undefined;
  let dispatcher: RunningDispatcher | undefined;
  return {
    ctx,
    app,
    startTasks: () => {
      tasks = runTasks(ctx, allTasks);
      dispatcher = startDispatcher(ctx, (starter) => connectStarter(ctx, starter));
    },
    close: async () => {
      await closeApi();
      // Passes that wait for a silent database would delay the stop.
      if (!ctx.watch.isUp()) database.sockets.closeAll();
      // Leases of work in progress are renewed until it has ended.
      await Promise.all([
        dispatcher?.drain(),
        senderOf(ctx).drain(ctx.config.shutdown_grace_secs * 1_000),
        drainerOf(ctx).stop(),
        sourceDrainerOf(ctx).stop(),
      ]);
      await outboxOf(ctx).stop();
      await tasks?.stop();
      if (tasks && ctx.watch.isUp()) await retireInstance(ctx).catch(() => {});
      ctx.watch.stop();
      stopSampling();
      await Promise.allSettled([ctx.wakeup.stop(), ctx.outgoing.destroy(), database.close()]);
    },
  };
}

export function openContext(config: Config, database: Database, log: Log, timeouts: Timeouts): Ctx {
  const metrics = makeMetrics();
  metrics.database.readPool = database.readPool;
  database.onStatement(metrics.database.statements.observe);
  const instance_id = newId();
  return {
    config,
    db: database.db,
    log,
    metrics,
    encryption: openEncryption(config.encryption_keys),
    wakeup: openWakeup(database.db, database.directConnection, log, instance_id),
    outgoing: makeOutgoing({
      privateEndpoints: config.private_endpoints,
      connectTimeoutMs: 10_000,
      maxConnectionsPerHost: config.dispatch_concurrency,
    }),
    keyCache: openKeyCache(),
    watch: watchDatabase(database, log, metrics, timeouts),
    state: newServiceState(),
    instance_id,
  };
}
