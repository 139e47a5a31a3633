import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifyWebhook } from "@millrace/sdk";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { makeJob } from "../../server/test/seed/make-workflow.ts";
import { until } from "../../server/test/world/until.ts";
import type { TestProject } from "../../server/test/world/world.ts";
import { millrace, startMillrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { envOf, serviceEnv, type Tried } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZg==";

let tried: Tried;
let project: TestProject;
let env: Record<string, string>;
beforeAll(async () => {
  tried = await serviceEnv();
  project = await tried.world.project();
  env = envOf(tried.world, project);
  const payload_schema = { type: "object", required: ["to"], properties: { to: { type: "string" } } };
  await makeJob(project, { slug: "mail", delivery: "pull", endpoint_url: null, payload_schema });
});

describe("millrace listen", () => {
  it("forwards deliveries with a signature that can be verified, and again when they are sent again", async () => {
    const [away, local] = await Promise.all([jobEndpoint(), jobEndpoint()]);
    away.respondWith(404);
    await project.api.post("/v1/webhook-subscriptions", { url: away.url, events: ["run.created"] });
    const given = { ...env, MILLRACE_SIGNING_SECRET: SECRET };
    const target = local.url.replace("http://", "");
    const listening = startMillrace(["listen", "--forward-to", target, "--limit", "2"], { env: given });
    await until("the stream to open", 60_000, () => listening.output().includes("Listening"));
    await project.api.post("/v1/jobs/mail/trigger", { payload: { to: "ada" } });
    await until("the delivery", 60_000, () => local.dispatches.length === 1);
    const failed = async () => (await project.api.get("/v1/webhook-deliveries?status=failed")).body.data;
    await until("it to fail", 60_000, async () => (await failed()).length === 1);
    await millrace(["webhooks", "retry", "--all", "--yes"], { env });
    const { code, stdout } = await listening.ended;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^(\S+)\trun\.created\t200\t\d+\n\1\trun\.created\t200\t\d+\n$/),
    ]);
    const [first, again] = local.dispatches;
    expect(again?.raw).toBe(first?.raw);
    const event = await verifyWebhook(first?.raw ?? "", first?.headers ?? {}, SECRET);
    expect([event.type, away.dispatches[0]?.raw]).toEqual(["run.created", first?.raw]);
  });

  it("names what it cannot read", async () => {
    for (const args of [[], ["--forward-to", "http://"], ["--forward-to", "localhost:1", "--backfill", "soon"]]) {
      expect((await millrace(["listen", ...args], { env })).code).toBe(5);
    }
  });
});

describe("millrace top, open, generate types and support-bundle", () => {
  it("prints the figures once in a pipe", async () => {
    const { code, stdout } = await millrace(["top"], { env });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/open \d+ .*\n[\s\S]*QUEUE +DEPTH[\s\S]*default +\d+/)]);
    expect(JSON.parse((await millrace(["top", "--json"], { env })).stdout).queues[0].name).toBe("default");
  });

  it("prints the page of the project, and of a run", async () => {
    const run = (await project.api.post("/v1/jobs/mail/trigger", { payload: { to: "bob" } })).body;
    const { slug } = (await project.api.get(`/v1/projects/${project.id}`)).body;
    expect((await millrace(["open"], { env })).stdout).toBe(`${tried.world.url}/p/${slug}/-/\n`);
    const opened = await millrace(["open", run.id], { env });
    expect(opened.stdout).toMatch(new RegExp(`^${tried.world.url}/p/${slug}/[a-z-]+/runs/${run.id}\n$`));
  });

  it("writes types from the payload schemas", async () => {
    const cwd = newFolder();
    expect((await millrace(["generate", "types", "--out", "types.ts"], { env, cwd })).code).toBe(0);
    const text = readFileSync(join(cwd, "types.ts"), "utf8");
    expect(text).toContain('export type JobPayloads = {\n  "mail": { "to": string };\n};\n');
  });

  it("writes a bundle without payloads and keys, once, and names what it left out", async () => {
    const cwd = newFolder();
    expect((await millrace(["support-bundle"], { env, cwd })).code).toBe(0);
    const text = readFileSync(join(cwd, "millrace-support.json"), "utf8");
    expect(text).not.toContain(project.key);
    expect(text).not.toContain('"ada"');
    expect(JSON.parse(text)).toMatchObject({
      health: { ready: true },
      system: { left_out: expect.stringContaining("403") },
      queues: { data: [{ name: "default" }] },
    });
    expect((await millrace(["support-bundle"], { env, cwd })).code).toBe(6);
  });
});

describe("millrace backup", () => {
  const url = "postgresql://app:hunter2@db.example.com:5433/shop";

  /** A folder with a `pg_dump` and `pg_restore` that write down how they were called. */
  function tools(exit: number): { cwd: string; env: Record<string, string> } {
    const cwd = newFolder();
    for (const name of ["pg_dump", "pg_restore"]) {
      const script = `#!/bin/sh\necho "${name} $* $PGHOST $PGPORT $PGUSER $PGPASSWORD" >> ${cwd}/calls\necho no >&2\nexit ${exit}\n`;
      writeFileSync(join(cwd, name), script);
      chmodSync(join(cwd, name), 0o755);
    }
    return { cwd, env: { PATH: `${cwd}:/usr/bin:/bin`, DATABASE_URL: url } };
  }

  it("writes a dump that only the owner can read, and restores it; the password is no argument", async () => {
    const { cwd, env: own } = tools(0);
    expect((await millrace(["backup", "create", "a.dump"], { cwd, env: own })).code).toBe(0);
    expect(statSync(join(cwd, "a.dump")).mode & 0o777).toBe(0o600);
    expect((await millrace(["backup", "create", "a.dump"], { cwd, env: own })).code).toBe(6);
    expect((await millrace(["backup", "restore", "a.dump"], { cwd, env: own })).code).toBe(5);
    const restored = await millrace(["backup", "restore", "a.dump", "--yes"], { cwd, env: own });
    expect(restored.stderr).toBe("a.dump is restored into db.example.com:5433/shop.\n");
    const [dump = "", restore = ""] = readFileSync(join(cwd, "calls"), "utf8").split("\n");
    for (const call of [dump, restore]) expect(call).toMatch(/ db\.example\.com 5433 app hunter2$/);
    expect(dump.split(" db.example.com")[0]).not.toContain("hunter2");
    expect(restore).toContain("--single-transaction --dbname=shop");
  });

  it("leaves nothing behind when the tool fails or is missing, and says how to back up the embedded database", async () => {
    const { cwd, env: own } = tools(1);
    const failed = await millrace(["backup", "create", "b.dump"], { cwd, env: own });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("pg_dump failed")]);
    const missing = await millrace(["backup", "create", "b.dump"], {
      cwd,
      env: { PATH: newFolder(), DATABASE_URL: url },
    });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("pg_dump is not installed")]);
    expect(existsSync(join(cwd, "b.dump"))).toBe(false);
    const embedded = await millrace(["backup", "create", "b.dump"], { cwd });
    expect([embedded.code, embedded.stderr]).toEqual([5, expect.stringContaining("/docs/operate/backup")]);
  });
});
