import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildService, runService } from "../../../../test/embedded-postgres/service-process.ts";
import { temporaryDir } from "../../../../test/embedded-postgres/temporary-dir.ts";
import { until } from "../../../../test/world/until.ts";
import { startEmbeddedPostgres } from "../start-embedded-postgres.ts";
import { isSupervised } from "../supervisor.ts";

let service: { file: string; remove: () => void };
beforeAll(async () => {
  service = await buildService();
});
afterAll(() => service.remove());

test("discards an incomplete cluster when the service is killed during initdb", async () => {
  const dataDir = await killInInitdb();

  const { stop } = await startEmbeddedPostgres({ dataDir, fsync: false, say: () => {} });
  await stop();

  expect(readdirSync(dataDir).sort()).toEqual(["postgres", "postgres.log"]);
});

test("refuses a cluster of another major version", async () => {
  const dataDir = join(temporaryDir(), "data");
  mkdirSync(join(dataDir, "postgres"), { recursive: true });
  writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "15\n");

  const start = startEmbeddedPostgres({ dataDir, say: () => {} });

  await expect(start).rejects.toThrow(/created by PostgreSQL 15.*set DATABASE_URL$/);
});

/** On a busy machine initdb may end before the kill: try again with another one. */
async function killInInitdb(): Promise<string> {
  for (;;) {
    const dataDir = join(temporaryDir(), "data");
    const clusterDir = join(dataDir, "postgres");
    const { child } = runService(service.file, { task: "start", dataDir });
    onTestFinished(() => void child.kill("SIGKILL"));
    await until("initdb to begin", 20_000, () => isHalfMade(dataDir) || existsSync(clusterDir));
    child.kill("SIGKILL");
    await once(child, "exit");
    if (!existsSync(clusterDir)) return dataDir;
    await until("the supervisor to end", 20_000, () => !isSupervised(clusterDir));
  }
}

function isHalfMade(dataDir: string): boolean {
  if (!existsSync(dataDir)) return false;
  const name = readdirSync(dataDir).find((entry) => entry.startsWith("postgres.initdb-"));
  return name !== undefined && existsSync(join(dataDir, name, "PG_VERSION"));
}
