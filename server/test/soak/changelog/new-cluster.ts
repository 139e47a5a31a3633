import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeDataDir } from "../../../src/platform/embedded-postgres/cluster/remove-data-dir.ts";
import { startEmbeddedPostgres } from "../../../src/platform/embedded-postgres/start-embedded-postgres.ts";
import type { TestConnection } from "../../world/database.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";

/** An empty database in a PostgreSQL of its own, whose transaction ids begin again. */
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
  return { host, port, user, database };
}
