import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { randomFrom, testSeed } from "../../../../test/seed/seed.ts";
import { type SeedRun, seedJob, seedRun, seedRuns } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
});

const seed = (run: SeedRun = {}) => seedRun(world.connection, project.id, { job_id, ...run });
const seedMany = (count: number, run: SeedRun = {}) =>
  seedRuns(
    world.connection,
    project.id,
    Array.from({ length: count }, () => ({ job_id, ...run })),
  );
const cancelAll = (run_ids: string[], reason?: string) =>
  project.api.post("/v1/runs/bulk-cancel", { run_ids, ...(reason && { reason }) });
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;
const readBatch = async (id: string) => (await project.api.get(`/v1/batch-operations/${id}`)).body;

const counter = async (name: string) =>
  (await world.ctx.metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;

describe("POST /v1/runs/bulk-cancel", () => {
  it("R9 cancels each run and returns the outcomes in order, with the reason for each that could not be canceled", async () => {
    const [pending, ended, running] = [
      await seed(),
      await seed({ status: "completed" }),
      await seed({ status: "running" }),
    ];
    const foreign = await seedRun(world.connection, (await world.project()).id);
    const { status, body } = await cancelAll([pending, ended, foreign, running], "closing");
    expect(status).toBe(200);
    expect(body.results).toEqual([
      { index: 0, run_id: pending, status: "canceled", error: null },
      {
        index: 1,
        run_id: ended,
        status: "failed",
        error: { code: "run_already_ended", message: "The run has already ended: its status is completed." },
      },
      { index: 2, run_id: foreign, status: "failed", error: { code: "not_found", message: "There is no such run." } },
      { index: 3, run_id: running, status: "canceled", error: null },
    ]);
    expect(await readRun(pending)).toMatchObject({
      status: "canceled",
      error: { code: "canceled", message: "closing" },
    });
    const [left] = await runSql(
      world.connection,
      `select (select count(*)::int from run_queue where project_id = $1) as queued,
         (select count(*)::int from run_history where project_id = $1 and cause = 'canceled') as moved`,
      [project.id],
    );
    expect(left).toEqual({ queued: 0, moved: 2 });
  });

  it("R9 returns a finished batch operation and writes one audit event", async () => {
    const [id, ended] = [await seed(), await seed({ status: "failed" })];
    const { body } = await cancelAll([id, ended]);
    expect(await readBatch(body.batch_id)).toMatchObject({
      kind: "cancel",
      status: "completed",
      request: { run_ids: [id, ended], reason: null },
      total: 2,
      processed: 2,
      succeeded: 1,
      failed: 1,
      skipped: 0,
      percent: 100,
      created_by: "test key",
      created_by_id: project.key_id,
    });
    const { data } = (await project.api.get(`/v1/batch-operations/${body.batch_id}/items`)).body;
    expect(data).toEqual([
      expect.objectContaining({ index: 0, target_id: id, status: "succeeded", error: null }),
      expect.objectContaining({
        index: 1,
        target_id: ended,
        status: "failed",
        error: expect.objectContaining({ code: "run_already_ended" }),
      }),
    ]);
    const audited = await runSql(
      world.connection,
      "select action, resource_id, after from audit_events where project_id = $1 and action like 'run.%'",
      [project.id],
    );
    expect(audited).toEqual([
      {
        action: "run.bulk_canceled",
        resource_id: body.batch_id,
        after: { run_ids: [id, ended], reason: null, canceled: 1 },
      },
    ]);
  });

  it("R9 R15 cancels descendants in every live status, and the metrics count all of them", async () => {
    const [root, other] = await seedMany(2, { status: "running" });
    if (!root || !other) throw new Error("no run");
    const child = await seed({ status: "waiting", parent_run_id: root });
    const below = await seed({ status: "paused", parent_run_id: child });
    const done = await seed({ status: "completed", parent_run_id: other });
    const names = ["svc_bulk_operations_total", "svc_bulk_items_processed_total", "svc_bulk_child_cancellations_total"];
    const before = await Promise.all(names.map(counter));
    await cancelAll([root, other]);
    const after = await Promise.all(names.map(counter));
    expect(after.map((value, nth) => value - (before[nth] ?? 0))).toEqual([1, 2, 2]);
    for (const id of [child, below]) {
      expect(await readRun(id)).toMatchObject({
        status: "canceled",
        error: { code: "parent_canceled", message: expect.stringContaining(root) },
      });
    }
    expect((await readRun(done)).status).toBe("completed");
  });

  it("R9 a run and its child that are both named each get their own item", async () => {
    const parent = await seed({ status: "running" });
    const child = await seed({ parent_run_id: parent });
    const { body } = await cancelAll([child, parent]);
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(["canceled", "canceled"]);
    expect((await readRun(child)).error.code).toBe("canceled");
  });

  it("R9 R15 descendants beyond one transaction are canceled from the outbox, which survives a crash", async () => {
    const root = await seed({ status: "running" });
    await seedMany(549, { parent_run_id: root });
    const before = await counter("svc_bulk_child_cancellations_total");
    await cancelAll([root]);
    const live = "select count(*)::int as count from runs where parent_run_id = $1 and finished_at is null";
    expect(await runSql(world.connection, live, [root])).toEqual([{ count: 50 }]);
    await world.tick("run-outbox");
    expect(await runSql(world.connection, live, [root])).toEqual([{ count: 0 }]);
    expect(await counter("svc_bulk_child_cancellations_total")).toBe(before + 549);
  });

  it("R9 releases the slots of running runs to the runs blocked on them", async () => {
    const job = await seedJob(world.connection, project.id, { max_concurrency: 1 });
    const key = `job:${job.id}`;
    await runSql(world.connection, "insert into concurrency_counters (project_id, key, active) values ($1, $2, 1)", [
      project.id,
      key,
    ]);
    const holder = await seed({ job_id: job.id, status: "running", slots: [key] });
    const [first, second] = [
      await seed({ job_id: job.id, blocked_on: key }),
      await seed({ job_id: job.id, blocked_on: key }),
    ];
    await cancelAll([holder, first]);
    const rows = await runSql(world.connection, "select run_id, blocked_on from run_queue where project_id = $1", [
      project.id,
    ]);
    expect(rows).toEqual([{ run_id: second, blocked_on: null }]);
    expect(await runSql(world.connection, "select active from concurrency_counters where key = $1", [key])).toEqual([
      { active: 0 },
    ]);
  });

  it("R9 concurrent calls with the same runs cancel each run once", async () => {
    const ids = await seedMany(30, { status: "running" });
    const random = randomFrom(testSeed("bulk-cancel"));
    const responses = await Promise.all(Array.from({ length: 5 }, () => cancelAll(ids.toSorted(() => random() - 0.5))));
    const all = responses.flatMap(({ body }) => body.results as { run_id: string; status: string }[]);
    expect(all.map(({ status }) => status)).toEqual(Array(150).fill("canceled"));
    const [audited] = await runSql<{ canceled: number }>(
      world.connection,
      "select sum((after->>'canceled')::int)::int as canceled from audit_events where resource_id = any($1)",
      [responses.map(({ body }) => body.batch_id)],
    );
    expect(audited?.canceled).toBe(30);
  });

  it("R9 processes a run only once if it is named twice", async () => {
    const [first, second] = [await seed(), await seed()];
    const { body } = await cancelAll([first, second, first]);
    expect(body.results).toEqual([
      { index: 0, run_id: first, status: "canceled", error: null },
      { index: 1, run_id: second, status: "canceled", error: null },
    ]);
  });

  it("R9 422 for no ids, for more than 100 and for an invalid id", async () => {
    const id = await seed();
    const many = Array.from({ length: 101 }, () => newId());
    for (const run_ids of [[], many, ["x"]]) {
      const response = await cancelAll(run_ids);
      expect([response.status, response.body.errors[0].location]).toEqual([
        422,
        expect.stringMatching(/^body\.run_ids/),
      ]);
    }
    expect((await readRun(id)).status).toBe("pending");
  });

  it("R11 succeeds for a run that is canceled already, and audits how many it canceled", async () => {
    const [canceled, mine] = [await seed({ status: "canceled" }), await seed()];
    const { body } = await project.api.post("/v1/runs/bulk-cancel", { run_ids: [canceled, mine] });
    expect(body.results).toEqual([
      { index: 0, run_id: canceled, status: "canceled", error: null },
      { index: 1, run_id: mine, status: "canceled", error: null },
    ]);
    const [audited] = await runSql<{ canceled: number }>(
      world.connection,
      "select (after->>'canceled')::int as canceled from audit_events where resource_id = $1",
      [body.batch_id],
    );
    expect(audited?.canceled).toBe(1);
  });

  it("A3 a key bound to an environment cannot cancel runs of another", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const [mine, other] = [await seed({ environment_id: staging }), await seed()];
    const { api } = await project.newKey({ environment_id: staging });
    const { body } = await api.post("/v1/runs/bulk-cancel", { run_ids: [mine, other] });
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(["canceled", "failed"]);
    expect(body.results[1].error.code).toBe("not_found");
    expect((await readRun(other)).status).toBe("pending");
  });
});
