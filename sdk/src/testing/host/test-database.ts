import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, utimesSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { migrate } from "@millrace/server/src/platform/database/migrate.ts";
import { clusterDirOf } from "@millrace/server/src/platform/embedded-postgres/cluster/data-dir.ts";
import { removeDataDir } from "@millrace/server/src/platform/embedded-postgres/cluster/remove-data-dir.ts";
import {
  removeLeftovers,
  SOCKET_DIRS,
} from "@millrace/server/src/platform/embedded-postgres/cluster/remove-leftovers.ts";
import { installBinaries } from "@millrace/server/src/platform/embedded-postgres/install-binaries.ts";
import { chooseServerUser } from "@millrace/server/src/platform/embedded-postgres/server-user.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "@millrace/server/src/platform/embedded-postgres/start-embedded-postgres.ts";
import type { Log } from "@millrace/server/src/platform/logging/log.ts";
import { serverRoot } from "@millrace/server/src/platform/server-root.ts";

export type TestDatabase = { connection: EmbeddedPostgres["connection"]; stop: () => Promise<void> };

/** For a short-lived database that may lose everything. */
const SETTINGS = {
  max_connections: "40",
  shared_buffers: "32MB",
  autovacuum: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
};

/** Starts a migrated PostgreSQL from a copy that the first start on this machine left in the cache. */
export async function startTestDatabase(log: Log): Promise<TestDatabase> {
  const cached = await cachedCluster(log);
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-test-"));
  chmodSync(dataDir, 0o755); // PostgreSQL does not run as root, so another user must be able to reach it
  await copyCluster(cached, clusterDirOf(dataDir));
  const postgres = await start(dataDir);
  return {
    connection: postgres.connection,
    stop: async () => {
      await postgres.stop();
      removeDataDir(dataDir);
    },
  };
}

/** Created once for these migrations and this PostgreSQL version, next to the binaries. */
async function cachedCluster(log: Log): Promise<string> {
  const binariesDir = await installBinaries({ user: chooseServerUser(), cacheHome: process.env.XDG_CACHE_HOME });
  const cached = join(dirname(binariesDir), `test-cluster-${hashOfMigrations(basename(binariesDir))}`);
  if (!existsSync(cached)) await makeCluster(cached, log);
  const now = new Date();
  utimesSync(cached, now, now);
  removeOld(dirname(binariesDir));
  return cached;
}

/** Removes clusters of versions unused for a week, and leftovers of killed tests. */
function removeOld(cache: string): void {
  removeLeftovers(cache, [{ name: /^test-cluster-/, days: 7 }]);
  removeLeftovers(tmpdir(), [SOCKET_DIRS, { name: /^millrace-test-\w{6}$/, days: 1 }]);
}

function hashOfMigrations(binaries: string): string {
  const folder = join(serverRoot(), "migrations");
  const hash = createHash("sha256").update(binaries);
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

/** Created under a unique name, then renamed: if two processes do this at once, either result is fine. */
async function makeCluster(cached: string, log: Log): Promise<void> {
  const dataDir = `${cached}.making-${randomUUID().slice(0, 8)}`;
  try {
    const postgres = await start(dataDir);
    try {
      await migrate(postgres.connection, log);
    } finally {
      await postgres.stop();
    }
    renameSync(clusterDirOf(dataDir), cached);
  } catch (error) {
    if (!existsSync(cached)) throw error;
  } finally {
    removeDataDir(dataDir);
  }
}

function start(dataDir: string): Promise<EmbeddedPostgres> {
  const cacheHome = process.env.XDG_CACHE_HOME;
  return startEmbeddedPostgres({ dataDir, fsync: false, settings: SETTINGS, say: () => {}, cacheHome });
}

/** Keeps the owner, which differs from the current user when running as root. */
async function copyCluster(from: string, to: string): Promise<void> {
  if (process.platform === "win32") return cp(from, to, { recursive: true });
  await promisify(execFile)("cp", ["-a", from, to]);
}
