import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildService, runService, type ServiceTask } from "../../../../test/embedded-postgres/service-process.ts";
import { temporaryDir } from "../../../../test/embedded-postgres/temporary-dir.ts";
import { until } from "../../../../test/world/until.ts";
import { adoptEmbeddedPostgres } from "../adopt-embedded-postgres.ts";
import { isRunning } from "../running-process.ts";
import { startEmbeddedPostgres } from "../start-embedded-postgres.ts";
import { createDataDir } from "./data-dir.ts";
import { locateCluster } from "./locate-cluster.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };

let service: { file: string; remove: () => void };
beforeAll(async () => {
  service = await buildService();
});
afterAll(() => service.remove());

describe.runIf(isRoot)("as root", () => {
  test("reports the owner of the database to an ordinary user", async () => {
    const dataDir = dirOf(NOBODY.uid);
    mkdirSync(join(dataDir, "postgres"));

    expect(await run({ task: "start", dataDir }).next()).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("belongs to uid 0"),
    });
  });

  test("does not replace an unreachable cluster with an empty one", async () => {
    const dataDir = dirOf(0);
    mkdirSync(join(dataDir, "postgres"));
    chownSync(join(dataDir, "postgres"), NOBODY.uid, NOBODY.gid);
    chmodSync(dataDir, 0o700);

    await expect(start(dataDir)).rejects.toThrow(/may no longer search[^\n]*set DATABASE_URL$/);
  });

  test("below a 0700 directory uses /var/lib/millrace, finds the database there again, and sets it aside with the directory", async () => {
    const closed = temporaryDir();
    chmodSync(closed, 0o700);
    const closedDataDir = join(closed, "data");
    const said: string[] = [];
    const first = await start(closedDataDir, said);
    const clusterDir = readFileSync(join(closedDataDir, "postgres-location"), "utf8").trim();
    onTestFinished(() => rmSync(dirname(clusterDir), { recursive: true, force: true }));

    expect(clusterDir).toMatch(/^\/var\/lib\/millrace\/[0-9a-f]{16}\/postgres$/);
    expect(said.join()).toContain(clusterDir);
    expect(statSync(clusterDir).uid).not.toBe(0);
    expect(statSync(`/proc/${first.pid}`).uid).toBe(statSync(clusterDir).uid);
    expect(statSync(closedDataDir).uid).toBe(0);
    expect((await adoptEmbeddedPostgres({ dataDir: closedDataDir }))?.pid).toBe(first.pid);
    await first.stop();

    const second = await start(closedDataDir, said);
    expect(said.filter((line) => line.includes(clusterDir))).toHaveLength(1);
    await second.stop();

    rmSync(closedDataDir, { recursive: true });
    locateCluster(createDataDir(closedDataDir), (line) => said.push(line));
    const moved = /was moved to (\S+)/.exec(said.join("\n"))?.[1] ?? "";
    expect(existsSync(join(moved, "postgres", "PG_VERSION"))).toBe(true);
    rmSync(moved, { recursive: true });
  });
});

describe.runIf(isRoot)("as an ordinary user", () => {
  test("starts as that user; root may continue with it", async () => {
    const ownDataDir = dirOf(NOBODY.uid);
    const { child, next } = run({ task: "start", dataDir: ownDataDir });
    let message = await next();
    while (message?.kind === "said") message = await next(); // progress messages

    expect(message).toMatchObject({ kind: "started" });
    expect(statSync(`/proc/${message?.pid}`).uid).toBe(NOBODY.uid);
    child.kill("SIGTERM");
    await until("the server to end", 20_000, () => !isRunning(message?.pid ?? 0));

    const { pid } = await start(ownDataDir);
    expect(statSync(`/proc/${pid}`).uid).toBe(NOBODY.uid);
  });

  test("asks a uid without a name to set DATABASE_URL", async () => {
    const { next } = run({ task: "start", dataDir: dirOf(54_321) }, { uid: 54_321, gid: 54_321 });

    expect(await next()).toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/uid 54321 has none.*set DATABASE_URL$/),
    });
  });
});

async function start(dataDir: string, said: string[] = []) {
  const database = await startEmbeddedPostgres({ dataDir, fsync: false, say: (line) => void said.push(line) });
  onTestFinished(() => database.stop());
  return database;
}

function run(task: ServiceTask, as = NOBODY) {
  const started = runService(service.file, task, as);
  onTestFinished(() => void started.child.kill("SIGKILL"));
  return started;
}

function dirOf(uid: number): string {
  const directory = join(temporaryDir(), "data");
  mkdirSync(directory);
  chownSync(directory, uid, uid);
  return directory;
}
