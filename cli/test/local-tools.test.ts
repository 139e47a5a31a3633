import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifyWebhook } from "@millrace/sdk";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { makeJob } from "../../server/test/seed/make-workflow.ts";
import { urlOf } from "../../server/test/service/start-service.ts";
import { emptyDatabase, runSql } from "../../server/test/world/database.ts";
import { until } from "../../server/test/world/until.ts";
import type { TestProject } from "../../server/test/world/world.ts";
import { millrace, startMillrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { envOf, serviceEnv, type Tried } from "./service-env.ts";
import { millraceInTerminal } from "./terminal.ts";

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

  it("keeps the last figures while they cannot be read, until Ctrl-C", async () => {
    const { id, key } = await project.newKey({ scopes: ["analytics:read", "jobs:read"] });
    const terminal = await millraceInTerminal(["top"], { env: { ...env, MILLRACE_API_KEY: key } });
    await terminal.shows("QUEUE");
    await project.api.delete(`/v1/api-keys/${id}`);
    await terminal.shows("not updated: ");
    terminal.type("\x03");
    expect(await terminal.ended).toBe(130);
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

  it("writes a client whose calls have the types of the payloads", async () => {
    const cwd = newFolder();
    const written = await millrace(["generate", "client", "--out", "client.ts"], { env, cwd });
    expect([written.code, written.stderr]).toEqual([0, "client.ts has 1 job and 0 workflows.\n"]);
    const text = readFileSync(join(cwd, "client.ts"), "utf8");
    expect(text).toContain('export type JobPayloads = {\n  "mail": { "to": string };\n};\n');
    expect(text).toContain('"mail": (payload, options) => client.jobs.trigger("mail", payload, options),');
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
  it("writes a file that it verifies, never over another one, and restores it into an empty database", async () => {
    const cwd = newFolder();
    const own = { DATABASE_URL: urlOf(tried.world.connection) };
    const created = await millrace(["backup", "create", "a.backup"], { cwd, env: own });
    expect([created.code, created.stderr]).toEqual([
      0,
      expect.stringMatching(/^[\d,]+ rows of the PostgreSQL at .* are in a\.backup\.\n$/),
    ]);
    expect((await millrace(["backup", "create", "a.backup"], { cwd, env: own })).stderr).toContain("a.backup exists");
    const verified = await millrace(["backup", "verify", "a.backup", "--json"], { cwd });
    expect(JSON.parse(verified.stdout)).toMatchObject({ file: "a.backup", rows: { projects: expect.any(Number) } });
    const shown = await millrace(["backup", "verify", "a.backup"], { cwd, columns: 100 });
    expect(shown.stderr).toContain("reading tables");
    expect(verified.stderr).toBe("");
    const target = await emptyDatabase();
    const restored = await millrace(["backup", "restore", "a.backup"], { cwd, env: { DATABASE_URL: urlOf(target) } });
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining("rows are restored into")]);
    expect(await runSql(target, "select id from projects")).toContainEqual({ id: project.id });
  });

  it("says what is wrong with a file, a database and a folder", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "b.backup"), "no backup");
    const env = { DATABASE_URL: urlOf(tried.world.connection) };
    const failing = async (...args: string[]) => (await millrace(["backup", ...args], { cwd, env })).stderr;
    expect(await failing("verify", "b.backup")).toContain("is damaged or is not a backup");
    expect(await failing("restore", "b.backup")).toContain("is damaged or is not a backup");
    expect(await failing("restore", "missing.backup")).toContain("no such file");
    expect(await failing("create", "missing/c.backup")).toContain("no such file");
  });
});
