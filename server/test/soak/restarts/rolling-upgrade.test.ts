import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ReadyService,
  ROOT,
  SECRETS,
  serveEnv,
  startService,
  urlOf,
  useServices,
} from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { dropDatabase, emptyDatabase, runSql, type TestConnection } from "../../world/database.ts";
import { until } from "../../world/until.ts";
import { buildRevision } from "../differential/baseline.ts";
import { constantLoad, missingFrom } from "../service/constant-load.ts";
import { openBalancer } from "./balancer.ts";

useServices();

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/**
 * The last release, unless UPGRADE_FROM names another version. Before the first release, the last version that lacks a
 * migration of this one. A migration that contracts leaves nothing to versions before it: then the version that brought it.
 */
function previousVersion(): string {
  if (process.env.UPGRADE_FROM) return process.env.UPGRADE_FROM;
  const [release] = git("tag", "--merged", "HEAD", "--sort=-version:refname", "--list", "v[0-9]*").split("\n");
  if (release) return release;
  // A commit that only gives a migration another number brings none.
  const last = git("log", "-1", "--diff-filter=A", "--find-renames", "--format=%h", "--", "server/migrations");
  return git("show", "--format=", last, "--", "server/migrations").includes("-- contract:") ? last : `${last}^`;
}

let connection: TestConnection;
let previous: string;
beforeAll(async () => {
  connection = await emptyDatabase();
  previous = buildRevision(previousVersion());
}, 300_000);
afterAll(() => dropDatabase(connection));

describe("a rolling upgrade from the version before the last migration, under load", () => {
  it("fails no request, while the old version runs on the new schema and after a step back", async () => {
    const balancer = await openBalancer();
    const start = async (program?: string): Promise<ReadyService> => {
      const env = serveEnv(urlOf(connection), { SHUTDOWN_GRACE_SECS: "18" });
      const service = await startService("serve", { env, ...(program !== undefined && { program }) });
      balancer.add(service.url);
      await until("the balancer to find it", 20_000, () => balancer.isServing(service.url));
      return service;
    };
    const migrations = () => runSql(connection, "select name from migrations");
    const running = [await start(previous), await start(previous)];
    const before = (await migrations()).length;
    const admin = makeClient(balancer.url, { "x-internal-secret": SECRETS.INTERNAL_SECRET });
    const load = constantLoad({ admin }, 4);

    // Both to the new one, one back, and forward again.
    for (const program of [undefined, undefined, previous, undefined]) {
      const replacement = await start(program);
      expect(await running.shift()?.stop()).toEqual({ code: 0, signal: null });
      running.push(replacement);
    }
    await load.stop();

    console.info(
      `from ${previousVersion()} with ${before} migrations to ${(await migrations()).length}: ${load.requests.length} requests`,
    );
    expect((await migrations()).length).toBeGreaterThanOrEqual(before);
    expect(balancer.failures).toEqual([]);
    expect(new Set(load.requests.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(load.acknowledged.length).toBeGreaterThan(100);
    expect(await missingFrom({ admin }, load.acknowledged.slice(-200))).toEqual([]);
  });
});
