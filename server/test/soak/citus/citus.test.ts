import { beforeAll, describe, expect, it } from "vitest";
import { type CitusCluster, startCitus } from "../../outside/citus.ts";
import { type JobEndpoint, jobEndpoint } from "../../outside/job-endpoint.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { startServiceOn, type Tenant } from "./citus-service.ts";

const SIZE = scenarioSize({
  quick: { projects: 4, runs: 25, workflows: 4 },
  usual: { projects: 20, runs: 100, workflows: 10 },
  whole: { projects: 20, runs: 500, workflows: 50 },
});
const WITHIN_MS = 90_000;

let cluster: CitusCluster;
let endpoint: JobEndpoint;
let newTenant: () => Promise<Tenant>;
beforeAll(async () => {
  cluster = await startCitus(2);
  endpoint = await jobEndpoint();
  newTenant = await startServiceOn(cluster);
}, 300_000);

/** A new job, whose fifth dispatches fail at first. */
async function newJob(tenant: Tenant, fields: object = {}): Promise<string> {
  endpoint.respondWith(({ attempt, body }, response) => {
    const fails = attempt === 1 && body.payload?.nth % 5 === 4;
    response.writeHead(fails ? 500 : 200, { "content-type": "application/json" }).end("{}");
  });
  const job = { name: "Work", endpoint_url: endpoint.url, retry_strategy: "fixed", ...fields };
  return (await tenant.post("/v1/jobs", job)).id;
}

const triggerAll = (tenant: Tenant, job: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, nth) =>
      tenant.insist(`/v1/jobs/${job}/trigger`, { payload: { nth }, idempotency_key: `${job}-${nth}` }),
    ),
  );

async function statusesOf(tenant: Tenant, path: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of await tenant.list(path)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const toEnd = (tenant: Tenant, path: string, expected: Record<string, number>) =>
  until(`${path} to be ${JSON.stringify(expected)}`, WITHIN_MS, async () => {
    const now = await statusesOf(tenant, path).catch(() => ({}));
    return Object.entries(expected).every(([status, count]) => (now as Record<string, number>)[status] === count);
  });

describe("a service whose tables are distributed with Citus", () => {
  it("has all of them on one worker", async () => {
    const placed = await runSql<{ tables: number; nodes: number }>(
      cluster.connection,
      `select count(*)::int as tables, count(distinct nodeport)::int as nodes from citus_shards
       where citus_table_type = 'schema'`,
    );
    expect(placed).toEqual([{ tables: expect.any(Number), nodes: 1 }]);
    expect(placed[0]?.tables).toBeGreaterThan(90);
  });

  it.each([
    ["a job", {}],
    ["a job with a limit", { max_concurrency: 2 }],
    ["a job with a rate", { rate_limit_max: 10, rate_limit_window_secs: 1 }],
  ])("ends the runs of %s, with retries", async (_, fields) => {
    const tenant = await newTenant();
    const job = await newJob(tenant, fields);
    await triggerAll(tenant, job, 20);
    await toEnd(tenant, "/v1/runs", { completed: 20 });
  });

  it("returns the same run for the same idempotency key, and cancels a delayed run", async () => {
    const tenant = await newTenant();
    const job = await newJob(tenant);
    const [once] = await triggerAll(tenant, job, 1);
    const [again] = await triggerAll(tenant, job, 1);
    expect(again.id).toBe(once.id);
    const later = await tenant.post(`/v1/jobs/${job}/trigger`, { payload: {}, delay_secs: 3_600 });
    await tenant.post(`/v1/runs/${later.id}/cancel`);
    await toEnd(tenant, "/v1/runs", { completed: 1, canceled: 1 });
  });

  it("runs a workflow that maps, sleeps and waits for an event", async () => {
    const tenant = await newTenant();
    const job = await newJob(tenant);
    const steps = [
      { step_ref: "first", job_id: job },
      { step_ref: "each", type: "map", items: [1, 2, 3], job_id: job, depends_on: ["first"] },
      { step_ref: "nap", type: "sleep", sleep_duration: "1s", depends_on: ["first"] },
      { step_ref: "approval", type: "wait_for_event", event_key: "go", depends_on: ["each", "nap"] },
      { step_ref: "last", job_id: job, depends_on: ["approval"] },
    ];
    const workflow = await tenant.post("/v1/workflows", { name: "Flow", steps });
    await tenant.post(`/v1/workflows/${workflow.id}/trigger`, { payload: {} });
    await until("the wait", WITHIN_MS, () => tenant.send("/v1/events/go/send", { payload: { ok: true } }));
    await toEnd(tenant, "/v1/workflow-runs", { completed: 1 });
    await toEnd(tenant, "/v1/runs", { completed: 5 });
  });

  it("delivers the webhooks of runs", async () => {
    const tenant = await newTenant();
    const receiver = await jobEndpoint();
    await tenant.post("/v1/webhook-subscriptions", { url: receiver.url, events: ["run.completed"] });
    await triggerAll(tenant, await newJob(tenant), 5);
    await until("the webhooks", WITHIN_MS, () => receiver.dispatches.length === 5);
  });

  it("adds up usage", async () => {
    const tenant = await newTenant();
    await triggerAll(tenant, await newJob(tenant), 5);
    await until("the usage", WITHIN_MS, async () => {
      const [row] = await runSql<{ completed: number }>(
        cluster.connection,
        "select coalesce(sum(completed), 0)::int as completed from usage_periods where project_id = $1",
        [tenant.project_id],
      );
      return row?.completed === 5;
    });
  });

  it(
    "ends everything right when the worker is restarted under load, and no statement needs several shards",
    async () => {
      const before = await shardCounts();
      const tenants = await Promise.all(Array.from({ length: SIZE.projects }, newTenant));
      const work = tenants.map(async (tenant) => {
        const job = await newJob(tenant, { max_attempts: 10 });
        const steps = [
          { step_ref: "first", job_id: job },
          { step_ref: "wait", type: "wait_for_event", event_key: "{{payload.key}}", depends_on: ["first"] },
          { step_ref: "last", job_id: job, depends_on: ["wait"] },
        ];
        const workflow = await tenant.post("/v1/workflows", { name: "Flow", steps });
        await triggerAll(tenant, job, SIZE.runs);
        for (let nth = 0; nth < SIZE.workflows; nth++) {
          const [payload, idempotency_key] = [{ key: `key-${nth}` }, `flow-${nth}`];
          await tenant.insist(`/v1/workflows/${workflow.id}/trigger`, { payload, idempotency_key });
          await tenant.insist(`/v1/events/key-${nth}/send`, { payload: {}, buffer_secs: 3_600 }, `event-${nth}`);
        }
        return tenant;
      });
      await until("some runs", WITHIN_MS, () => endpoint.dispatches.length > SIZE.runs);
      const holder = await workerWithTables();
      await holder?.stop("SIGQUIT");
      await holder?.start();
      for (const tenant of await Promise.all(work)) {
        await toEnd(tenant, "/v1/workflow-runs", { completed: SIZE.workflows });
        await toEnd(tenant, "/v1/runs", { completed: SIZE.runs + 2 * SIZE.workflows });
      }
      const after = await shardCounts();
      console.info(
        `${SIZE.projects} projects, ${SIZE.projects * SIZE.runs} runs, ${SIZE.projects * SIZE.workflows} workflow runs, one worker restarted: ` +
          `${after.one - before.one} executions on one shard, ${after.several - before.several} on several`,
      );
      expect(holder).toBeDefined();
      expect(after.several - before.several).toBe(0);
    },
    3 * WITHIN_MS,
  );
});

async function workerWithTables() {
  const [row] = await runSql<{ port: number }>(
    cluster.connection,
    "select nodeport as port from citus_shards where citus_table_type = 'schema' limit 1",
  );
  return cluster.workers.find(({ port }) => port === row?.port);
}

/** Statements by the number of shards that they need; parts of a statement count separately. */
async function shardCounts(): Promise<{ one: number; several: number }> {
  const [row] = await runSql<{ one: number; several: number }>(
    cluster.connection,
    `select query_execution_single_shard::float8 as one, query_execution_multi_shard::float8 as several
     from citus_stat_counters where name = current_database()`,
  );
  return row ?? { one: 0, several: 0 };
}
