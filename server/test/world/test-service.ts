import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { buildApi, serveInProcess } from "../../src/api/build-api.ts";
import { assembleService, openContext, routesOf, type Service } from "../../src/main/open-service.ts";
import { flushKeyUses } from "../../src/platform/access/credentials/key-use.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { databaseOn } from "../../src/platform/database/db.ts";
import type { Pools } from "../../src/platform/database/pools.ts";
import { LONG_TIMEOUTS } from "../../src/platform/database/timeouts.ts";
import type { Route } from "../../src/platform/route.ts";
import type { Config } from "../../src/platform/settings/config.ts";
import { closeStreams } from "../../src/platform/streams/event-stream.ts";
import { edgeRoutes } from "../requests/edge-routes.ts";

/**
 * An HTTP server that outlives its service and is reused by the next. Building the routes costs more than most tests.
 */
type Api = { app: FastifyInstance; url: string; serve: (ctx: Ctx) => void };

/** Keyed by the options they were built with. */
const idle = new Map<string, Api[]>();

export type TestService = {
  service: Service;
  url: string;
  /** Closes the service and keeps its HTTP server for the next, unless the test closed it. */
  end: () => Promise<void>;
};

export async function openTestService(pools: Pools, config: Config, routes: readonly Route[]): Promise<TestService> {
  const database = databaseOn(pools);
  const ctx = openContext(config, database, pino({ level: process.env.TEST_LOG ?? "silent" }), LONG_TIMEOUTS);
  // Custom routes of a test are unique objects, so no other service reuses their server.
  const isShared = routes.length === 0 || routes === edgeRoutes;
  const kept = isShared ? keptFor(config, routes) : [];
  const api = kept.pop() ?? (await buildAndListen(ctx, routes));
  api.serve(ctx);
  let isKept = false;
  const close = () => (isKept ? leaveOpen(ctx) : api.app.close());
  const service = assembleService(ctx, api.app, database, close);
  const end = async () => {
    isKept = isShared && api.app.server.listening;
    await service.close();
    if (isKept) kept.push(api);
  };
  return { service, url: api.url, end };
}

function keptFor(
  { max_body_bytes, trusted_proxies, cors_origins, roles }: Config,
  { length }: readonly Route[],
): Api[] {
  const key = JSON.stringify([max_body_bytes, trusted_proxies, cors_origins, [...roles], length]);
  const kept = idle.get(key) ?? [];
  idle.set(key, kept);
  return kept;
}

async function buildAndListen(first: Ctx, routes: readonly Route[]): Promise<Api> {
  let current = first;
  const getters = Object.keys(first).map((name) => {
    return [name, { enumerable: true, get: () => current[name as keyof Ctx] }] as const;
  });
  const ctx = Object.defineProperties({}, Object.fromEntries(getters)) as Ctx;
  const app = await buildApi(ctx, [...routesOf(first.config), ...routes]);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    app,
    url,
    serve: (next) => {
      current = next;
      serveInProcess(app, next);
    },
  };
}

/** The server's hooks that run when its service closes. */
async function leaveOpen(ctx: Ctx): Promise<void> {
  closeStreams(ctx);
  await flushKeyUses(ctx);
}
