import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineJob } from "@millrace/sdk";
import { listen } from "@millrace/sdk/node";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../server/test/outside/free-port.ts";
import { dropDatabase, emptyDatabase, runSql, type TestConnection } from "../../server/test/world/database.ts";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import type { TestProject, World } from "../../server/test/world/world.ts";
import { millrace } from "./millrace.ts";
import { type Ended, spawnMillrace } from "./run-millrace.ts";
import { quietService } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let world: World;
let project: TestProject;
let env: Record<string, string>;
beforeAll(async () => {
  const quiet = await quietService();
  ({ world, project } = quiet);
  const PORT = String(await freePort());
  env = {
    ...quiet.env,
    DATABASE_URL: urlOf(world.connection),
    PORT,
    MILLRACE_SIGNING_SECRET: project.webhook_secret,
  };
});

type Finding = { check: string; status: string; message: string; remedy: string };

async function doctor(args: string[] = [], others: Record<string, string> = {}) {
  return read(await millrace(["doctor", ...args, "--json"], { env: { ...env, ...others } }));
}

function read({ code, stdout }: Ended) {
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
  return { code, ok, find: (name: string) => checks.find(({ check }) => check === name), checks };
}

/** An SDK endpoint that verifies with this secret. */
async function endpoint(signingSecret: string): Promise<string> {
  const job = defineJob({ id: "hello", run: () => ({}) });
  const server = await listen({ jobs: [job], signingSecret, baseUrl: world.url, onError: () => {} }, 0, "127.0.0.1");
  whenFileEnds(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe("millrace doctor", () => {
  it("reports everything ok: node, disk, port, database, migrations, service, clock, key, endpoint, signature", async () => {
    // The built command in a process of its own.
    const spawned = await spawnMillrace(["doctor", await endpoint(project.webhook_secret), "--json"], { env });
    const { code, ok, checks } = read(await spawned.ended);
    expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
    const names = [
      "node",
      "disk",
      "port",
      "database",
      "migrations",
      "service",
      "clock",
      "key",
      "endpoint",
      "signature",
    ];
    expect(checks.map(({ check }) => check)).toEqual(names);
    expect([code, ok]).toEqual([0, true]);
  });

  it("suggests a fix for an endpoint with another secret, and for one that accepts any signature", async () => {
    const other = await doctor([await endpoint(`whsec_${Buffer.alloc(32, 7).toString("base64")}`)]);
    expect(other.find("signature")).toMatchObject({
      status: "failed",
      remedy: expect.stringContaining("MILLRACE_SIGNING_SECRET"),
    });
    expect([other.code, other.ok]).toEqual([1, false]);
    const careless = createServer((_, response) => response.end('{"millrace":1,"jobs":[],"workflows":[]}'));
    await new Promise<void>((listening) => careless.listen(0, "127.0.0.1", listening));
    whenFileEnds(async () => void careless.close());
    const any = await doctor([`http://127.0.0.1:${(careless.address() as AddressInfo).port}/`]);
    expect(any.find("signature")?.message).toBe("the endpoint accepts an invalid signature");
  });

  it("reports a port in use, an unreachable database and endpoint, and a rejected key", async () => {
    const taken = createServer();
    await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening));
    whenFileEnds(async () => void taken.close());
    const nowhere = `http://127.0.0.1:${await freePort()}/`;
    const { code, find } = await doctor([nowhere], {
      PORT: String((taken.address() as AddressInfo).port),
      DATABASE_URL: `postgres://nobody:hidden-password@127.0.0.1:${await freePort()}/none`,
      MILLRACE_API_KEY: "svc_wrong",
    });
    for (const name of ["port", "database", "key", "endpoint"]) {
      expect(find(name)).toMatchObject({ status: "failed", remedy: expect.stringMatching(/\w/) });
    }
    expect(find("migrations")?.status).toBe("skipped");
    expect(JSON.stringify(find("database"))).not.toContain("hidden");
    expect(code).toBe(1);
  });

  it("prints symbols on a terminal", async () => {
    const { code, stdout } = await millrace(["doctor", "--no-color"], { env, columns: 160 });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ node {8}Node 2\d\./m);
    expect(stdout).toMatch(/^– endpoint {4}no endpoint to check\n {14}Pass one: millrace doctor/m);
  });
});

describe("millrace migrate", () => {
  it("status and --dry-run exit with 2 if migrations are pending; up applies them", async () => {
    const connection = await emptyDatabase();
    whenFileEnds(() => dropDatabase(connection));
    const at = { env: { DATABASE_URL: urlOf(connection) } };
    const status = await millrace(["migrate", "status"], at);
    expect([status.code, status.stdout.split("\n")[0]]).toEqual([2, "0001_clock_and_service\tpending"]);
    const dry = await millrace(["migrate", "up", "--dry-run", "--json"], at);
    expect([dry.code, JSON.parse(dry.stdout)]).toMatchObject([
      2,
      { dry_run: true, pending: expect.arrayContaining(["0001_clock_and_service"]) },
    ]);
    const up = await millrace(["migrate", "up", "--json"], at);
    expect([up.code, JSON.parse(up.stdout).ran]).toEqual([0, JSON.parse(dry.stdout).pending]);
    expect((await millrace(["migrate", "status"], at)).code).toBe(0);
    expect((await millrace(["migrate", "up"], at)).stderr).toMatch(/nothing to do\.\n$/);
  });

  it("status and up refuse the schema of a version from before the first release, and doctor reports it", async () => {
    const connection = await emptyDatabase();
    whenFileEnds(() => dropDatabase(connection));
    await runSql(connection, "create table migrations (name text); insert into migrations values ('0001_clock')");
    const at = { env: { DATABASE_URL: urlOf(connection) } };
    for (const command of ["status", "up"]) {
      const { code, stderr } = await millrace(["migrate", command], at);
      expect([code, stderr]).toEqual([1, expect.stringContaining("(0001_clock) was created by a development version")]);
    }
    const { find } = await doctor([], at.env);
    expect(find("database")).toMatchObject({ status: "failed", remedy: expect.stringContaining("empty database") });
  });

  it("exits with 5 for invalid settings and with 1 for an unreachable database", async () => {
    expect((await millrace(["migrate", "status"], { env: { DATABASE_URL: "mysql://x" } })).code).toBe(5);
    const url = `postgres://nobody:hidden-password@127.0.0.1:${await freePort()}/none`;
    const away = await millrace(["migrate", "up"], { env: { DATABASE_URL: url } });
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining("Nothing is listening at 127.0.0.1")]);
    expect(away.stderr).not.toContain("hidden");
  });
});

function urlOf({ host, port, user, database }: TestConnection): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
