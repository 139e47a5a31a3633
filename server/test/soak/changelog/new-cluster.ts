import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { removeDataDir } from "../../../src/platform/embedded-postgres/remove-data-dir.ts";
import { startEmbeddedPostgres } from "../../../src/platform/embedded-postgres/start-embedded-postgres.ts";
import type { TestConnection } from "../../world/database.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";

/** A PostgreSQL of its own with the schema and no rows, whose transaction ids begin again. */
export async function newCluster(): Promise<TestConnection> {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-tests-"));
  chmodSync(dataDir, 0o755); // as root, PostgreSQL runs as another user, who needs access
  const settings = { max_connections: "100", track_commit_timestamp: "on" };
  const postgres = await startEmbeddedPostgres({ dataDir, fsync: false, say: () => {}, settings });
  whenFileEnds(async () => {
    await postgres.stop();
    removeDataDir(dataDir);
  });
  const { host, port, user, database } = postgres.connection;
  const connection = { host, port, user, database };
  await migrate(connection, pino({ level: "silent" }));
  return connection;
}
