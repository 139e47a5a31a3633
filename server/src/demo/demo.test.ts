import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/world/database.ts";
import { until } from "../../test/world/until.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import { DEMO_JOBS } from "./demo-jobs.ts";
import { demoRoutes } from "./demo-routes.ts";
import { DEMO_WORK } from "./demo-work.ts";
import { LARGE_ORDER, SMALL_ORDER } from "./demo-workflow.ts";
import { seedDemo } from "./seed-demo.ts";

const dataDir = mkdtempSync(join(tmpdir(), "millrace-demo-"));
let world: World;
let api: ReturnType<World["as"]>;
let first: typeof api;

beforeAll(async () => {
  const routes = demoRoutes((ms) => pause(ms / 10));
  world = await makeWorld({ config: { data_dir: dataDir }, routes });
  world.service.startTasks();
  const { apiKey, hasDemo } = await seedDemo(world.ctx, world.url);
  expect(hasDemo).toBe(true);
  first = world.as(apiKey ?? "");
  const made = await world.admin.post("/v1/api-keys", { name: "looks at the demo", project_id: "demo" });
  api = world.as(made.body.key);
});

afterAll(() => {
  // Like a stop: work in progress ends at once, and its runs are retried after the next start.
  world.ctx.state.draining = true;
  rmSync(dataDir, { recursive: true, force: true });
});

const runsOf = async (query: string) => (await api.get(`/v1/runs?${query}`)).body.data;
const jobNamed = async (slug: string) => (await api.get(`/v1/jobs/${slug}`)).body;
const firstRunOf = async (slug: string) => (await runsOf(`job_id=${(await jobNamed(slug)).id}&order=asc&limit=1`))[0];

describe("the demo project", () => {
  it("is active by itself: runs complete, one shows its progress, one fails, a schedule exists", async () => {
    await until("something of everything", 20_000, async () => {
      const [completed, failed, importing] = [
        await runsOf("status=completed"),
        await runsOf("status=failed"),
        await firstRunOf("import-customers"),
      ];
      return completed.length > 2 && failed.length === 1 && (importing?.progress?.percent ?? 0) > 0;
    });
    const { data } = (await api.get("/v1/schedules")).body;
    expect(data).toMatchObject([{ cron: "* * * * *", payload: SMALL_ORDER, paused: false }]);
  });

  it("is clearly marked, and has work for exactly its jobs", async () => {
    const { data } = (await api.get("/v1/jobs?limit=100")).body;
    expect(data.map((job: { slug: string }) => job.slug).sort()).toEqual(Object.keys(DEMO_WORK).sort());
    expect(DEMO_JOBS.map(({ slug }) => slug).sort()).toEqual(Object.keys(DEMO_WORK).sort());
    for (const job of data)
      expect(job).toMatchObject({ tags: { demo: "true" }, description: expect.stringContaining("demo") });
    const queue = (await api.get("/v1/queues/images")).body;
    expect(queue).toMatchObject({ jobs: 1, max_concurrency: 3, description: expect.stringContaining("demo") });
    const project = (await world.admin.get("/v1/projects/demo")).body;
    expect(project).toMatchObject({ name: "Demo", slug: "demo", description: expect.stringContaining("DELETE /demo") });
    expect((await first.get("/v1/jobs")).body.data).toEqual([]);
  });

  it("has a job that fails for good with instructions to fix it, and succeeds when replayed accordingly", async () => {
    const failed = await firstRunOf("sync-crm");
    expect(failed).toMatchObject({ status: "failed", tries_used: 1 });
    expect(JSON.stringify(failed.error)).toContain("Replay this run with");
    const replayed = await api.post(`/v1/runs/${failed.id}/replay`, { payload: { customer: "ada", plan: "paid" } });
    const ended = await until("the replay to end", 20_000, async () => {
      const run = (await api.get(`/v1/runs/${replayed.body.id}`)).body;
      return run.finished_at ? run : undefined;
    });
    expect(ended).toMatchObject({ status: "completed", result: { synced: true, plan: "paid" } });
  });

  it("completes small orders by themselves, with a retry, tool calls, logs and a cost", async () => {
    const order = await until("a small order to be shipped", 20_000, async () => {
      const { data } = (await api.get("/v1/workflow-runs?status=completed")).body;
      return data.find((run: { payload: { order: string } }) => run.payload.order === SMALL_ORDER.order);
    });
    const runs = await runsOf(`workflow_run_id=${order.id}&limit=100`);
    const jobs = (await api.get("/v1/jobs?limit=100")).body.data as { id: string; slug: string }[];
    const of = (slug: string) =>
      runs.find((run: { job_id: string }) => run.job_id === jobs.find((job) => job.slug === slug)?.id);
    expect(of("charge-card")).toMatchObject({ status: "completed", attempt: 2, tries_used: 1 });
    expect(of("check-fraud")).toMatchObject({ cost_microusd: 4_200, result: { risk: "low" } });
    const calls = (await api.get(`/v1/runs/${of("check-fraud").id}/tool-calls`)).body.data;
    expect(calls.map((call: { name: string }) => call.name).sort()).toEqual(["customers.find", "geo.locate"]);
    const logs = (await api.get(`/v1/runs/${of("ship-order").id}/logs`)).body.data;
    expect(logs).toMatchObject([{ message: "On its way." }]);
  });
});

describe("the pages of the dashboard", () => {
  it("show deliveries that succeeded, were retried and failed for good", async () => {
    const delivered = async (receiver: string) => {
      const subscriptions = (await api.get("/v1/webhook-subscriptions")).body.data as { id: string; url: string }[];
      const { id } = subscriptions.find(({ url }) => url === `${world.url}/demo/webhooks/${receiver}`) ?? { id: "" };
      const { data } = (await api.get(`/v1/webhook-deliveries?subscription_id=${id}&order=asc`)).body;
      // A late attempt finds the warehouse awake.
      return data.find(({ attempts }: { attempts: number }) => attempts > 1) ?? data[0];
    };
    const [taken, failed, again] = await until("each kind of delivery", 20_000, async () => {
      const all = [await delivered("bookkeeping"), await delivered("old-crm"), await delivered("warehouse")];
      const [noted, gone, woken] = all.map((each) => each?.status);
      return noted === "delivered" && gone === "failed" && woken === "delivered" ? all : undefined;
    });
    expect(taken).toMatchObject({ event_type: "workflow_run.completed", attempts: 1, last_status_code: 200 });
    expect(failed).toMatchObject({ event_type: "run.dead_lettered", attempts: 1, last_status_code: 410 });
    expect(again).toMatchObject({ attempts: 2, last_status_code: 200 });
  });

  it("show an open error, and alert rules that failures on purpose do not fire", async () => {
    await until("the error of the failed run", 20_000, async () => {
      const { data } = (await api.get("/v1/error-issues?status=open")).body;
      return data.some(({ job_slug }: { job_slug: string }) => job_slug === "sync-crm");
    });
    const rules = (await api.get("/v1/alert-rules")).body.data as { id: string; name: string }[];
    expect(rules).toHaveLength(2);
    for (const { id, name } of rules)
      expect([name, (await api.post(`/v1/alert-rules/${id}/test`)).body.would_fire]).toEqual([name, false]);
    expect((await api.get("/v1/alerts")).body.data).toEqual([]);
  });

  it("show a canary, a budget, a key, a role and its member", async () => {
    const canary = (await api.get("/v1/workflows/order/canary")).body;
    expect(canary).toMatchObject({ status: "active", source_version: 1, target_version: 2, traffic_pct: 25 });
    expect((await api.get("/v1/project-budget")).body).toMatchObject({ action: "notify" });
    const names = async (path: string) =>
      (await api.get(path)).body.data.map((each: { name: string }) => each.name) as string[];
    expect(await names("/v1/api-keys")).toContain("Shop (demo)");
    expect(await names("/v1/roles?limit=100")).toContain("Packer (demo)");
    expect((await api.get("/v1/members")).body.data).toMatchObject([
      { name: "Ada (demo)", role_name: "Packer (demo)" },
    ]);
    expect((await api.get("/v1/batch-operations")).body.data).toHaveLength(1);
  });
});

describe("POST /demo/webhooks/{receiver}", () => {
  it("responds by the age of the event, and refuses anything else", async () => {
    const deliver = (body: unknown) => world.anonymous.post("/demo/webhooks/warehouse", body);
    const createdAgo = (ms: number) => ({ created_at: new Date(Date.now() - ms).toISOString() });
    expect((await deliver(createdAgo(-60_000))).status).toBe(503);
    expect((await deliver(createdAgo(60_000))).body).toEqual({ says: "Good morning." });
    for (const body of [undefined, {}, [], 1, { created_at: "soon" }]) expect((await deliver(body)).status).toBe(422);
    expect((await deliver("{")).status).toBe(400);
    expect((await world.anonymous.post("/demo/webhooks/nobody", createdAgo(0))).status).toBe(404);
  });
});

describe("GET /demo", () => {
  it("returns the wait that a new user may end, to any client on this machine", async () => {
    const { waiting, project } = await until("the large order to wait", 20_000, async () => {
      const { body } = await world.anonymous.get("/demo");
      return body.waiting ? body : undefined;
    });
    expect(project).toMatchObject({ slug: "demo", name: "Demo" });
    expect(waiting.order).toBe(LARGE_ORDER.order);
    const approvals = (await api.get("/v1/approvals")).body.data;
    expect(approvals).toMatchObject([
      { workflow_run_id: waiting.workflow_run_id, message: "Order A-1001 comes to €240. Ship it?" },
    ]);
    const run = (await api.get(`/v1/workflow-runs/${waiting.workflow_run_id}`)).body;
    expect(run).toMatchObject({ status: "running", payload: LARGE_ORDER });
  });

  const elsewhere: Record<string, string>[] = [{ "x-forwarded-for": "203.0.113.9" }, { host: "evil.example" }];
  it.each(elsewhere)("401 from elsewhere: %j", async (headers) => {
    expect((await world.anonymous.get("/demo", { headers })).status).toBe(401);
    expect((await world.anonymous.post("/demo/resume", undefined, { headers })).status).toBe(401);
    expect((await world.anonymous.delete("/demo", { headers })).status).toBe(401);
  });
});

describe("a page of another site, opened on this machine", () => {
  it("gets 403 for every change; the service's own pages and other clients are allowed", async () => {
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      for (const response of [
        await world.anonymous.post("/demo/resume", undefined, { headers }),
        await world.anonymous.delete("/demo", { headers }),
      ])
        expect([response.status, response.body.code]).toEqual([403, "cross_site_request"]);
    }
    expect((await world.anonymous.get("/demo", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(200);
  });
});

describe("POST /demo/resume", () => {
  it("approves the order, which then completes; called again, it starts another that waits the same way", async () => {
    const { resumed_workflow_run_id: id } = (await world.anonymous.post("/demo/resume")).body;
    await until("the order to be shipped", 20_000, async () => {
      return (await api.get(`/v1/workflow-runs/${id}`)).body.status === "completed";
    });
    const again = (await world.anonymous.post("/demo/resume")).body;
    expect(again).toEqual({ resumed_workflow_run_id: null, started_workflow_run_id: expect.any(String) });
    const waiting = await until("the second order to wait", 20_000, async () => {
      return (await world.anonymous.get("/demo")).body.waiting ?? undefined;
    });
    expect(waiting.workflow_run_id).toBe(again.started_workflow_run_id);
    expect((await world.anonymous.post("/demo/resume")).body.resumed_workflow_run_id).toBe(waiting.workflow_run_id);
  });
});

describe("POST /demo/jobs/{job}", () => {
  it("serves only the dispatches of this service", async () => {
    const body = { job_slug: "ship-order", payload: {} };
    expect((await world.anonymous.post("/demo/jobs/ship-order", body)).status).toBe(401);
    const forged = { headers: { "x-svc-run-token": "eyJhbGciOiJub25lIn0.e30." } };
    expect((await world.anonymous.post("/demo/jobs/ship-order", body, forged)).status).toBe(401);
  });
});

describe("a later start", () => {
  it("seeds nothing twice, and updates the jobs to the service's new address", async () => {
    const count = async () => Number((await runSql(world.connection, "select count(*) from projects"))[0]?.count);
    const { hasDemo, signingSecret } = await seedDemo(world.ctx, "http://localhost:59999");
    expect([hasDemo, signingSecret]).toEqual([true, expect.stringMatching(/^whsec_/)]);
    expect(await count()).toBe(2);
    expect((await jobNamed("pack-item")).endpoint_url).toBe("http://127.0.0.1:59999/demo/jobs/pack-item");
    const urls = async () =>
      (await api.get("/v1/webhook-subscriptions")).body.data.map((each: { url: string }) => each.url);
    expect(await urls()).toContain("http://127.0.0.1:59999/demo/webhooks/old-crm");
    await seedDemo(world.ctx, world.url);
    expect((await urls()).every((url: string) => url.startsWith(world.url))).toBe(true);
    expect((await jobNamed("pack-item")).endpoint_url).toBe(`${world.url}/demo/jobs/pack-item`);
  });
});

describe("DELETE /demo", () => {
  it("removes the demo with one call, and no later start restores it", async () => {
    expect((await world.anonymous.delete("/demo")).status).toBe(204);
    expect((await api.get("/v1/me")).status).toBe(401);
    expect((await first.get("/v1/me")).status).toBe(200);
    expect((await world.anonymous.get("/demo")).status).toBe(404);
    expect((await world.anonymous.delete("/demo")).status).toBe(404);
    const later = await seedDemo(world.ctx, world.url);
    expect(later).toMatchObject({ apiKey: expect.stringMatching(/^svc_/), hasDemo: false });
    expect((await world.admin.get("/v1/projects")).body.data).toMatchObject([{ slug: "main" }]);
  });
});

describe("production rules", () => {
  it("can be used in development: then there is a project and a key, and no jobs", async () => {
    const strict = await makeWorld({
      config: { private_endpoints: "refuse", data_dir: mkdtempSync(join(dataDir, "strict-")) },
    });
    const { apiKey, hasDemo } = await seedDemo(strict.ctx, strict.url);
    expect(hasDemo).toBe(false);
    expect((await strict.as(apiKey ?? "").get("/v1/jobs")).body.data).toEqual([]);
  });
});

describe("an interrupted first start", () => {
  it("has stored the first key, so the next start prints it, and creates the demo again", async () => {
    const data_dir = mkdtempSync(join(tmpdir(), "millrace-demo-"));
    const broken = await makeWorld({ config: { data_dir }, routes: demoRoutes() });
    const refuse = "create function refuse() returns trigger language plpgsql as $$ begin raise 'no' ; end $$";
    await runSql(broken.connection, refuse);
    await runSql(broken.connection, "create trigger refuse before insert on schedules execute function refuse()");
    await expect(seedDemo(broken.ctx, broken.url)).rejects.toThrow("no");
    await runSql(broken.connection, "drop trigger refuse on schedules");

    const { apiKey, hasDemo } = await seedDemo(broken.ctx, broken.url);
    expect(hasDemo).toBe(true);
    expect((await broken.as(apiKey ?? "").get("/v1/me")).body.name).toBe("First key");
    const { body } = await broken.admin.get("/v1/schedules?project_id=demo");
    expect(body.data).toMatchObject([{ cron: "* * * * *" }]);
    expect((await broken.anonymous.delete("/demo")).status).toBe(204);
    rmSync(data_dir, { recursive: true, force: true });
  });
});
