import { randomUUID } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { applicationDatabase } from "../../server/test/outside/application-database.ts";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { makeJob } from "../../server/test/seed/make-workflow.ts";
import { runSql } from "../../server/test/world/database.ts";
import { until } from "../../server/test/world/until.ts";
import type { TestProject } from "../../server/test/world/world.ts";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { envOf, serviceEnv, type Tried } from "./service-env.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let tried: Tried;
let project: TestProject;
let env: Record<string, string>;
beforeAll(async () => {
  tried = await serviceEnv();
  project = await tried.world.project();
  env = envOf(tried.world, project);
  const endpoint = await jobEndpoint();
  await makeJob(project, { slug: "report", endpoint_url: endpoint.url });
});

/** The rows of a list as programs read them. */
async function rowsOf(...args: string[]): Promise<string[][]> {
  const { code, stdout, stderr } = await millrace(args, { env });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
}

describe("millrace schedules", () => {
  it("lists them with the slug of what they start; pauses, resumes, fires and deletes one by its name", async () => {
    const created = await project.api.post("/v1/schedules", { name: "nightly", job_id: "report", cron: "0 3 * * *" });
    expect((await rowsOf("schedules", "list"))[0]?.slice(0, 4)).toEqual([
      "nightly",
      "report",
      "0 3 * * * (UTC)",
      "active",
    ]);
    const range = ["--from", new Date(Date.now() - 90_000_000).toISOString()];
    const backfill = await millrace(["schedules", "backfill", "nightly", ...range, "--dry-run"], { env });
    expect([backfill.code, backfill.stderr]).toEqual([0, expect.stringMatching(/^[12] fire times?\.\n$/)]);
    expect(backfill.stdout).toMatch(/^(?:2\S+Z would start\n){1,2}$/);
    expect((await millrace(["schedules", "backfill", "nightly"], { env })).code).toBe(5);
    expect((await millrace(["schedules", "pause", "nightly"], { env })).stderr).toBe("nightly is paused\n");
    expect((await rowsOf("schedules", "list"))[0]?.[3]).toBe("paused");
    expect((await millrace(["schedules", "resume", "nightly"], { env })).stderr).toMatch(/^nightly fires next at 2/);
    const { stdout } = await millrace(["schedules", "run", "nightly", "--json"], { env });
    expect(JSON.parse(stdout)).toMatchObject({ schedule_id: created.body.id });
    const typo = await millrace(["schedules", "pause", "nihgtly"], { env });
    expect([typo.code, typo.stderr]).toEqual([4, expect.stringContaining("Did you mean nightly?")]);
    const unasked = await millrace(["schedules", "delete", "nightly"], { env });
    expect([unasked.code, unasked.stderr]).toEqual([5, expect.stringContaining("Pass --yes")]);
    expect((await millrace(["schedules", "delete", "nightly", "--yes"], { env })).code).toBe(0);
    expect((await project.api.get("/v1/schedules")).body.data).toEqual([]);
  });
});

describe("millrace queues and workers", () => {
  const said = async (...args: string[]) => (await millrace(args, { env })).stderr;

  it("creates, lists, shows, changes, pauses, resumes and deletes a queue by its name", async () => {
    const limits = ["--max-concurrency", "10", "--rate-limit", "100/60", "--weight", "5"];
    expect(await said("queues", "create", "mail", ...limits)).toBe("mail was created\n");
    expect((await rowsOf("queues", "list")).map((row) => row.slice(0, 8)).sort()).toEqual([
      ["default", "active", "", "", "100", "0", "0", "0"],
      ["mail", "active", "10", "100 in 60 s", "5", "0", "0", "0"],
    ]);
    expect(await said("queues", "update", "mail", "--rate-limit", "none")).toBe("mail was changed\n");
    expect(await said("queues", "pause", "mail")).toBe("mail is paused\n");
    const shown = await millrace(["queues", "get", "mail", "--json"], { env });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ...{ name: "mail", paused: true, max_concurrency: 10, rate_limit_max: null, rate_limit_window_secs: null },
      ...{ depth: 0, in_flight: 0, workers: 0 },
    });
    expect(await said("queues", "resume", "mail")).toBe("mail is active\n");
    const typo = await millrace(["queues", "pause", "mial"], { env });
    expect([typo.code, typo.stderr]).toEqual([4, expect.stringContaining("Did you mean mail?")]);
    for (const wrong of [["--rate-limit", "100"], ["--max-concurrency", "0"], []]) {
      expect((await millrace(["queues", "update", "mail", ...wrong], { env })).code).toBe(5);
    }
    expect((await millrace(["queues", "delete", "mail"], { env })).stderr).toContain("Pass --yes");
    expect(await said("queues", "delete", "mail", "--yes")).toBe("mail was deleted\n");
  });

  it("lists the workers with what they serve", async () => {
    expect(await said("workers", "list")).toBe("No workers.\n");
    const info = { name: "host-1", version: "1.2.3", concurrency: 4 };
    const claim = { worker_id: "w", claim_id: randomUUID(), queues: ["default"], jobs: ["report"], info };
    await project.api.post("/worker/v1/claims", claim);
    const listed = async () => (await project.api.get("/v1/workers")).body.data.length === 1;
    await until("the worker to be listed", 30_000, listed);
    const [row] = await rowsOf("workers", "list", "--queue", "default");
    expect(row?.slice(0, 5)).toEqual(["host-1", "1.2.3", "default", "report", "0/4"]);
  });
});

describe("millrace keys", () => {
  it("prints a new key once on stdout; rotates it with a grace period; revokes it", async () => {
    const limits = ["--requests-per-minute", "500", "--triggers-per-minute", "60", "--bulk-per-minute", "70"];
    const { stdout, stderr } = await millrace(["keys", "create", "checkout", "--scope", "jobs:read", ...limits], {
      env,
    });
    expect(stdout).toMatch(/^svc_\w+\n$/);
    expect(stderr).toBe("The key is shown only once.\n");
    const asKey = (key: string) => millrace(["jobs", "list"], { env: { ...env, MILLRACE_API_KEY: key.trim() } });
    expect((await asKey(stdout)).code).toBe(0);
    const listed = (await rowsOf("keys", "list")).find(([name]) => name === "checkout");
    expect(listed?.slice(1, 5)).toEqual([stdout.slice(0, 12), "active", "all", "jobs:read"]);
    const { data } = JSON.parse((await millrace(["keys", "list", "--json"], { env })).stdout);
    expect(data.find(({ name }: { name: string }) => name === "checkout").rate_limits).toEqual({
      ...{ requests_per_minute: 500, triggers_per_minute: 60, bulk_per_minute: 70 },
    });
    const rotated = await millrace(["keys", "rotate", "checkout", "--grace", "30"], { env });
    expect(rotated.stderr).toMatch(/^The old secret is valid until 2/);
    expect([(await asKey(stdout)).code, (await asKey(rotated.stdout)).code]).toEqual([0, 0]);
    expect((await millrace(["keys", "revoke", "checkout", "-y"], { env })).stderr).toBe("checkout is revoked\n");
    expect((await asKey(rotated.stdout)).code).toBe(3);
  });
});

describe("millrace env", () => {
  it("sets, compares, pulls and pushes variables, and prints no values", async () => {
    const cwd = newFolder();
    const run = (...args: string[]) => millrace(["env", ...args], { env, cwd });
    expect((await run("set", "staging", "URL=https://a.example.com/?x=1", "TOKEN=s3cret")).stderr).toBe(
      "staging has 2 variables\n",
    );
    expect((await run("set", "production", "URL=https://b.example.com")).code).toBe(0);
    const diff = await run("diff", "staging", "production");
    expect(diff).toEqual({ code: 2, stdout: "TOKEN\tremoved\nURL\tchanged\n", stderr: "" });
    expect((await run("diff", "staging", "staging")).code).toBe(0);

    expect((await run("pull", "staging", ".env")).code).toBe(0);
    const file = join(cwd, ".env");
    expect(readFileSync(file, "utf8")).toBe("URL=https://a.example.com/?x=1\nTOKEN=s3cret\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);

    writeFileSync(file, "URL=https://c.example.com\nNEW=1\n");
    const dry = await run("push", "staging", ".env", "--prune", "--dry-run");
    expect([dry.code, dry.stdout]).toEqual([2, "NEW\tadded\nTOKEN\tremoved\nURL\tchanged\n"]);
    expect((await run("push", "staging", ".env", "--yes")).code).toBe(0);
    const { body } = await project.api.get("/v1/environments/staging");
    expect(body.variables).toEqual({ URL: "https://c.example.com", NEW: "1", TOKEN: "s3cret" });
    expect((await run("set", "staging", "NEW", "TOKEN", "--delete")).stderr).toBe("staging has 1 variable\n");
    const missing = await run("set", "staging", "NEW", "--delete");
    expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining("no variable NEW")]);
    const nowhere = await run("push", "staging", ".env.missing");
    expect([nowhere.code, nowhere.stderr]).toEqual([5, expect.stringContaining(".env.missing does not exist")]);
    const typo = await run("diff", "stagin", "production");
    expect([typo.code, typo.stderr]).toEqual([4, expect.stringContaining("Did you mean staging?")]);
  });

  it("pushes a pulled file without a change: values of any text, and inherited variables stay inherited", async () => {
    const cwd = newFolder();
    const run = (...args: string[]) => millrace(["env", ...args], { env, cwd });
    const parent = (await project.api.get("/v1/environments/production")).body;
    const body = { name: "Preview", slug: "preview", parent_id: parent.id, variables: { PEM: "-- a #'=\n--\n" } };
    expect((await project.api.post("/v1/environments", body)).status).toBe(201);
    await run("set", "production", "FROM_PARENT=1");
    expect((await run("pull", "preview", ".env")).code).toBe(0);
    const pushed = await run("push", "preview", ".env", "--prune", "--dry-run");
    expect(pushed).toEqual({ code: 0, stdout: "", stderr: "preview already has these variables.\n" });
  });
});

describe("millrace webhooks, sources and drains", () => {
  it("creates, tests and deletes a subscription, and lists its deliveries", async () => {
    const receiver = await jobEndpoint();
    const none = await millrace(["webhooks", "create", receiver.url], { env });
    expect([none.code, none.stderr]).toEqual([5, expect.stringContaining("--event")]);
    const args = ["webhooks", "create", receiver.url, "--event", "run.failed", "--event", "run.completed"];
    expect((await millrace(args, { env })).stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect((await rowsOf("webhooks", "list"))[0]).toEqual([receiver.url, "enabled", "0", "run.failed run.completed"]);
    expect((await millrace(["webhooks", "test", receiver.url], { env })).stderr).toContain("accepted the event (200");
    expect((await millrace(["webhooks", "retry"], { env })).code).toBe(5);
    expect((await millrace(["webhooks", "deliveries", "--status", "failed"], { env })).stderr).toBe("No deliveries.\n");
    expect((await millrace(["webhooks", "delete", receiver.url, "--yes"], { env })).code).toBe(0);
  });

  it("says which subscriptions an event would start", async () => {
    const source = await project.api.post("/v1/event-sources", { name: "GitHub", signature: "none" });
    const target = { job_id: "report", filter: 'event.type == "push"' };
    await project.api.post(`/v1/event-sources/${source.body.id}/subscriptions`, target);
    expect((await rowsOf("sources", "list"))[0]?.slice(0, 4)).toEqual(["github", "GitHub", "none", "enabled"]);
    const tested = async (type: string) => (await rowsOf("sources", "test", "github", "--type", type))[0]?.slice(1, 3);
    expect([await tested("push"), await tested("pull")]).toEqual([
      ["report", "yes"],
      ["report", "no"],
    ]);
    expect((await millrace(["sources", "events", "github"], { env })).stderr).toBe("No events.\n");
  });

  it("tests a log drain by its name, and exits with 1 if it does not accept the record", async () => {
    const receiver = await jobEndpoint();
    await project.api.post("/v1/log-drains", { name: "logs", url: receiver.url });
    expect((await millrace(["drains", "test", "logs"], { env })).stderr).toContain("logs accepted the record (200");
    receiver.respondWith(503);
    const refused = await millrace(["drains", "test", "logs"], { env });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("logs did not accept the record")]);
    expect((await rowsOf("drains", "list"))[0]?.[0]).toBe("logs");
  });
});

describe("millrace members and budget", () => {
  it("adds a member with a role by its name, lists and removes them", async () => {
    await project.api.post("/v1/roles", { name: "Reader", permissions: ["runs:read"] });
    const added = await millrace(["members", "add", "auth0|7", "Reader", "--name", "Ada"], { env });
    expect(added.stderr).toBe("Ada has the role Reader\n");
    expect((await rowsOf("members", "list")).map((row) => row.slice(0, 3))).toEqual([["auth0|7", "Ada", "Reader"]]);
    const invited = await millrace(["members", "invite", "ada@example.com", "Reader"], { env });
    expect(invited.stdout).toMatch(/^http:.+\/invitation#\S+\n$/);
    expect((await millrace(["members", "remove", "auth0|7", "--yes"], { env })).stderr).toBe("Ada was removed\n");
  });

  it("sets the budget in dollars", async () => {
    const set = await millrace(["budget", "set", "99.50", "--action", "block", "--json"], { env });
    expect(JSON.parse(set.stdout)).toMatchObject({ monthly_budget_microusd: 99_500_000, action: "block" });
    const shown = await millrace(["budget", "show"], { env });
    expect(shown.stdout).toMatch(/^budget +\$99\.50 a month$/m);
    expect((await millrace(["budget", "set", "lots"], { env })).code).toBe(5);
    await millrace(["budget", "set", "none"], { env });
    expect((await millrace(["budget", "show"], { env })).stdout).toMatch(/^budget +none$/m);
  });
});

describe("millrace outbox", () => {
  it("installs and uninstalls the schema of an application, and prints its SQL", async () => {
    const { url, connection } = await applicationDatabase();
    const printed = await millrace(["outbox", "install", "--print"]);
    expect(printed.stdout).toContain("create or replace function millrace.enqueue");
    const own = { OUTBOX_DATABASE_URL: url };
    expect((await millrace(["outbox", "install"], { env: own })).code).toBe(0);
    await runSql(connection, "select millrace.enqueue('report')");
    const refused = await millrace(["outbox", "uninstall", "--database-url", url]);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("--force")]);
    expect((await millrace(["outbox", "uninstall", "--force"], { env: own })).code).toBe(0);
    expect((await millrace(["outbox", "install"])).code).toBe(5);
    const away = await millrace(["outbox", "install", "--database-url", "postgresql://app@127.0.0.1:1/shop"]);
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining("was not changed")]);
  });

  it("connects a database, shows its health, disables and deletes it by its name", async () => {
    const { url } = await applicationDatabase();
    const created = await millrace(["outbox", "sources", "create", "shop", "--database-url", url], { env });
    expect(created.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    const disabled = await millrace(["outbox", "sources", "update", "shop", "--disable"], { env });
    expect(disabled.stderr).toBe("shop is disabled\n");
    expect((await rowsOf("outbox", "sources", "list"))[0]?.slice(0, 2)).toEqual(["shop", "disabled"]);
    expect((await millrace(["outbox", "sources", "refused", "shop"], { env })).stderr).toBe("No refused rows.\n");
    const retried = await millrace(["outbox", "sources", "retry", "shop"], { env });
    expect(retried.stderr).toBe("0 rows will be drained again.\n");
    expect((await millrace(["outbox", "sources", "delete", "shop", "--yes"], { env })).code).toBe(0);
  });
});
