import { setTimeout as pause } from "node:timers/promises";
import { type CitusCluster, SCHEMA } from "../../outside/citus.ts";
import { startPgBouncer } from "../../outside/pgbouncer.ts";
import { serveEnv, startService, urlOf, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";

useServices();

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
type Body = any;

export type Tenant = {
  project_id: string;
  /** Throws unless it succeeds. */
  post: (path: string, body?: object) => Promise<Body>;
  /** Repeated while the service is unavailable; only for idempotent calls. */
  insist: (path: string, body: object, idempotencyKey?: string) => Promise<Body>;
  /** Whether it succeeded. */
  send: (path: string, body: object) => Promise<boolean>;
  /** All pages. */
  list: (path: string) => Promise<Body[]>;
};

const NO_LIMITS = {
  ALLOW_PRIVATE_ENDPOINTS: "true",
  RATE_LIMIT_API_PER_MINUTE: "0",
  RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
  RATE_LIMIT_BULK_TRIGGER_PER_MINUTE: "0",
};

/** An instance behind PgBouncer, and how to make a project. Nothing is prepared there, which Citus needs. */
export async function startServiceOn({ connection }: CitusCluster): Promise<() => Promise<Tenant>> {
  const settings = { ...NO_LIMITS, DATABASE_DIRECT_URL: urlOf(connection), DATABASE_SCHEMA: SCHEMA };
  const env = serveEnv(await startPgBouncer(connection, 40), settings);
  const { admin, url } = await startService("serve", { env, outlivesTest: true });
  return async () => {
    const { body: project } = await admin.post("/v1/projects", { name: "citus" });
    const { body } = await admin.post("/v1/api-keys", { name: "all", project_id: project.id });
    return tenantOf(url, project.id, body.key);
  };
}

function tenantOf(url: string, project_id: string, key: string): Tenant {
  const client = makeClient(url, { authorization: `Bearer ${key}` });

  async function insist(path: string, body: object, idempotencyKey?: string): Promise<Body> {
    const options = idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } };
    for (;;) {
      // Hundreds of connections at once: some are reset before they are accepted.
      const response = await client.post(path, body, options).catch(() => undefined);
      if (response && response.status < 300) return response.body;
      if (response && response.status < 500) throw new Error(`POST ${path}: ${response.text}`);
      await pause(200);
    }
  }

  async function list(path: string): Promise<Body[]> {
    const rows: Body[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await client.get(`${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      rows.push(...body.data);
      cursor = body.next_cursor ?? null;
    }
    return rows;
  }

  return {
    ...{ project_id, insist, list },
    post: async (path, body = {}) => {
      const response = await client.post(path, body);
      if (response.status >= 300) throw new Error(`POST ${path}: ${response.text}`);
      return response.body;
    },
    send: async (path, body) => (await client.post(path, body)).status < 300,
  };
}
