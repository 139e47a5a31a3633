import { chmodSync, mkdtempSync } from "node:fs";
import { removeDataDir } from "../../../src/platform/embedded-postgres/cluster/remove-data-dir.ts";
import { startEmbeddedPostgres } from "../../../src/platform/embedded-postgres/start-embedded-postgres.ts";
import { serveEnv, startService, urlOf } from "../../service/start-service.ts";
import type { Client } from "../../world/client.ts";
import type { TestConnection } from "../../world/database.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";
import { type Endpoint, openEndpoint } from "./endpoint.ts";

export type Build = {
  name: string;
  url: string;
  admin: Client;
  endpoint: Endpoint;
  connection: TestConnection;
  stop: () => Promise<unknown>;
};

const SETTINGS = {
  ALLOW_PRIVATE_ENDPOINTS: "true",
  RATE_LIMIT_API_PER_MINUTE: "0",
  RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
  RATE_LIMIT_BULK_TRIGGER_PER_MINUTE: "0",
};

/** Starts a build with a PostgreSQL and an endpoint of its own. Without a program: the current tree. */
export async function startBuild(name: string, program?: string): Promise<Build> {
  const connection = await startDatabase();
  const env = serveEnv(urlOf(connection), SETTINGS);
  const service = await startService("serve", { env, outlivesTest: true, ...(program !== undefined && { program }) });
  const { url, admin, stop } = service;
  return { name, url, admin, stop, connection, endpoint: await openEndpoint(url) };
}

/** Not the one of the test run, which never vacuums: thousands of sequences would slow it down. */
async function startDatabase(): Promise<TestConnection> {
  const dataDir = mkdtempSync("/tmp/millrace-tests-");
  chmodSync(dataDir, 0o755); // as root, PostgreSQL runs as another user, who needs access
  const settings = { max_connections: "100", shared_buffers: "64MB", max_wal_size: "256MB" };
  const postgres = await startEmbeddedPostgres({ dataDir, fsync: false, say: () => {}, settings });
  whenFileEnds(async () => {
    await postgres.stop();
    removeDataDir(dataDir);
  });
  const { host, port, user, database } = postgres.connection;
  return { host, port, user, database };
}
