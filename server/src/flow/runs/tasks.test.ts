import { beforeAll, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { prepareRun } from "./create/prepare-run.ts";
import { triggerWithin } from "./create/trigger-runs.ts";
import { findTriggerableJob } from "./create/triggerable-job.ts";
import { replayRun } from "./replay/replay-runs.ts";

let world: World;
let project: TestProject;
let endpoint: JobEndpoint;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
  endpoint = await jobEndpoint();
});

async function makeJob(fields: object = {}) {
  const response = await project.api.post("/v1/jobs", {
    name: `Job ${newId()}`,
    endpoint_url: endpoint.url,
    ...fields,
  });
  expect(response.status, response.text).toBe(201);
  return response.body;
}

async function runsOf(job_id: string) {
  const { body } = await project.api.get(`/v1/runs?job_id=${job_id}&order=asc`);
  return body.data;
}

describe("on_failure_job_id", () => {
  it("is started once for a run that fails for good, with the failure as its payload", async () => {
    const handler = await makeJob();
    const job = await makeJob({ on_failure_job_id: handler.id, max_attempts: 1 });
    endpoint.respondWith(500, 200);
    const run = (await project.api.post(`/v1/jobs/${job.id}/trigger`, { payload: { order: 7 } })).body;
    await world.runUntilIdle();
    await world.runUntilIdle();
    const [started, ...others] = await runsOf(handler.id);
    expect(others).toEqual([]);
    expect(started).toMatchObject({ status: "completed", trigger_type: "spawn", created_by: `run:${run.id}` });
    expect(started.payload).toMatchObject({ run_id: run.id, job_id: job.id, status: "failed", payload: { order: 7 } });
    expect(started.payload.error.code).toBe("http_500");
  });

  it("is not started for a run that is retried, or that completes", async () => {
    const handler = await makeJob();
    const job = await makeJob({ on_failure_job_id: handler.id, max_attempts: 2, retry_strategy: "fixed" });
    endpoint.respondWith(500, 200);
    await project.api.post(`/v1/jobs/${job.id}/trigger`, {});
    await world.runUntilIdle();
    await world.clock.pass("2s");
    await world.runUntilIdle();
    expect((await runsOf(job.id)).map(({ status }: { status: string }) => status)).toEqual(["completed"]);
    expect(await runsOf(handler.id)).toEqual([]);
  });

  it("does not start another for its own failure, and is given up when its job is gone", async () => {
    const first = await makeJob({ max_attempts: 1 });
    const second = await makeJob({ on_failure_job_id: first.id, max_attempts: 1 });
    await project.api.patch(`/v1/jobs/${first.id}`, { on_failure_job_id: second.id });
    endpoint.respondWith(500);
    await project.api.post(`/v1/jobs/${second.id}/trigger`, {});
    for (let pass = 0; pass < 4; pass++) await world.runUntilIdle();
    expect([(await runsOf(first.id)).length, (await runsOf(second.id)).length]).toEqual([1, 1]);
    endpoint.respondWith(200);
  });

  it("is started once by two concurrent outbox workers, and once after a crash before it was started", async () => {
    const handler = await makeJob();
    const failed = await seedRun(world.connection, project.id, { status: "failed" });
    await runSql(
      world.connection,
      `insert into outbox (project_id, transition_id, kind, target_id, created_at)
       values ($1, $2, 'on_failure', $3, clock())`,
      [project.id, `${failed}:3`, handler.id],
    );
    await Promise.all(Array.from({ length: 8 }, () => world.tick("run-outbox")));
    expect(await runsOf(handler.id)).toHaveLength(1);
    expect(await runSql(world.connection, "select 1 from outbox where project_id = $1", [project.id])).toEqual([]);
  });
});

describe("retention of runs", () => {
  it("removes ended runs past the retention with what they reported, and no other", async () => {
    const old = { created_at: "2029-06-01T00:00:00Z" };
    const [ended, waiting] = [
      await seedRun(world.connection, project.id, { status: "completed", ...old }),
      await seedRun(world.connection, project.id, { status: "waiting", ...old }),
    ];
    const young = await seedRun(world.connection, project.id, { status: "completed" });
    await runSql(world.connection, "update runs set finished_at = created_at where id = any($1)", [[ended, young]]);
    await runSql(
      world.connection,
      `insert into run_outputs (project_id, run_id, id, attempt, name, value, created_at)
       select project_id, id, id, 1, 'o', '1', clock() from runs where id = any($1)`,
      [[ended, young]],
    );
    while (await world.tick("remove-old-rows"));
    const left = await runSql<{ id: string }>(world.connection, "select id from runs where id = any($1)", [
      [ended, waiting, young],
    ]);
    expect(left.map(({ id }) => id).toSorted()).toEqual([waiting, young].toSorted());
    const outputs = await runSql<{ run_id: string }>(world.connection, "select run_id from run_outputs");
    expect(outputs.map(({ run_id }) => run_id)).toEqual([young]);
    // A recount of derived transitions reads here before which time runs were removed.
    const marked = await runSql(
      world.connection,
      "select ended_before = clock() - $2 * interval '1 second' as is_exact from removed_runs where project_id = $1",
      [project.id, world.ctx.config.run_retention_secs],
    );
    expect(marked).toEqual([{ is_exact: true }]);
  });

  it("removes idempotency keys when their day is over", async () => {
    const job = await makeJob();
    const trigger = () => project.api.post(`/v1/jobs/${job.id}/trigger`, { idempotency_key: "once" });
    const first = await trigger();
    await world.tick("remove-old-rows");
    expect((await trigger()).body.id).toBe(first.body.id);
    await world.clock.pass("24h1s");
    await world.tick("remove-old-rows");
    expect(await runSql(world.connection, "select 1 from idempotency_keys")).toEqual([]);
    expect((await trigger()).body.id).not.toBe(first.body.id);
  });
});

describe("a blocking budget", () => {
  async function budget(monthly_budget_microusd: number) {
    const poor = await world.project();
    const job = await poor.api.post("/v1/jobs", {
      name: "J",
      endpoint_url: endpoint.url,
      estimated_cost_microusd: 100,
    });
    await runSql(
      world.connection,
      `insert into project_budgets (project_id, monthly_budget_microusd, action, thresholds, period_starts_at, created_at, updated_at)
       values ($1, $2, 'block', '{100}', clock(), clock(), clock())`,
      [poor.id, monthly_budget_microusd],
    );
    return { poor, path: `/v1/jobs/${job.body.id}/trigger` };
  }

  it("admits no run beyond it, with 64 concurrent triggers, also for a cached job", async () => {
    const { poor, path } = await budget(1_000);
    const responses = await Promise.all(Array.from({ length: 64 }, () => poor.api.post(path, {})));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = responses.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(["402 budget_exceeded"]),
    );
    const [row] = await runSql(
      world.connection,
      "select reserved_microusd from project_budgets where project_id = $1",
      [poor.id],
    );
    expect(row).toEqual({ reserved_microusd: "1000" });
  });

  it("refuses items of a bulk trigger one by one, and releases their idempotency keys", async () => {
    const { poor, path } = await budget(250);
    const { body } = await poor.api.post(`${path}/bulk`, { items: [{}, {}, { idempotency_key: "k" }] });
    expect(body.results.map(({ status, error }: never) => [status, (error as { code?: string } | null)?.code])).toEqual(
      [
        ["created", undefined],
        ["created", undefined],
        ["failed", "budget_exceeded"],
      ],
    );
    await runSql(world.connection, "update project_budgets set monthly_budget_microusd = 900 where project_id = $1", [
      poor.id,
    ]);
    expect((await poor.api.post(path, { idempotency_key: "k" })).status).toBe(201);
  });
});

describe("a run created while its job is resumed", () => {
  const resume = async (job_id: string) => {
    expect((await project.api.post(`/v1/jobs/${job_id}/resume`)).status).toBe(200);
  };
  const isReleased = (job_id: string) =>
    until("the run to be released", 20_000, async () => {
      const [queued] = await runSql(world.connection, "select blocked_on from run_queue where job_id = $1", [job_id]);
      return queued?.blocked_on === null;
    });

  it("is not left blocked, though the resume could not see it", async () => {
    const job = await makeJob();
    await project.api.post(`/v1/jobs/${job.id}/pause`);
    const paused = await findTriggerableJob(world.ctx, project.id, job.id);
    if (!paused) throw new Error("no job");
    await inTransaction(world.ctx, async (tx) => {
      await triggerWithin(tx, [prepareRun(paused, { created_by: "test", trigger_type: "api" })]);
      await resume(job.id);
    });
    await isReleased(job.id);
  });

  it("is not left blocked if it is a replay", async () => {
    const job = await makeJob({ max_attempts: 1 });
    endpoint.respondWith(500, 200);
    const { id: run_id } = (await project.api.post(`/v1/jobs/${job.id}/trigger`, {})).body;
    await world.runUntilIdle();
    await project.api.post(`/v1/jobs/${job.id}/pause`);
    const by = { id: null, name: "test" };
    const replay = { by, edits: {}, alongside: () => resume(job.id) };
    expect(await replayRun(world.ctx, { project_id: project.id, run_id }, replay)).toBeDefined();
    await isReleased(job.id);
  });
});

describe("probe-circuits", () => {
  it("sends one run every five seconds, over all instances", async () => {
    const own = await world.project();
    const host = new URL(endpoint.url).host;
    const job = await own.api.post("/v1/jobs", { name: "J", endpoint_url: endpoint.url });
    await runSql(
      world.connection,
      `insert into circuits (project_id, host, status, probe_at, opened_at, updated_at)
       values ($1, $2, 'open', clock(), clock(), clock())`,
      [own.id, host],
    );
    await own.api.post(`/v1/jobs/${job.body.id}/trigger/bulk`, { items: [{}, {}, {}] });
    await runSql(world.connection, "update run_queue set blocked_on = 'circuit:' || host where project_id = $1", [
      own.id,
    ]);
    const ended = async () => (await own.api.get("/v1/runs?status=completed")).body.data.length;
    await world.tick("read-circuits");
    await Promise.all([world.tick("probe-circuits"), world.tick("probe-circuits")]);
    await until("the first probe", 20_000, async () => (await ended()) === 1);
    await world.tick("probe-circuits");
    expect(await ended()).toBe(1);
    await world.clock.pass("5s");
    await world.tick("probe-circuits");
    await until("the second probe", 20_000, async () => (await ended()) === 2);
  });
});
