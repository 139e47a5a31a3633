import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runningRun } from "../../../../test/seed/running-run.ts";
import { type SeedRun, seedJob, seedRun, seedRuns } from "../../../../test/seed/seed-run.ts";
import { waitingRun } from "../../../../test/seed/waiting-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { bulkCancelAll } from "./bulk-cancel.ts";

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
const order = (filter: object, others: object = {}) =>
  project.api.post("/v1/runs/bulk-cancel-all", { filter, ...others });
const readBatch = async (id: string) => (await project.api.get(`/v1/batch-operations/${id}`)).body;
const statusOf = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body.status;

async function work(): Promise<void> {
  while (await world.tick("work-on-batches"));
}

async function live(): Promise<string[]> {
  const rows = await runSql<{ id: string }>(
    world.connection,
    "select id from runs where project_id = $1 and finished_at is null order by id",
    [project.id],
  );
  return rows.map((row) => row.id);
}

const counter = async (name: string) =>
  (await world.ctx.metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;

const claimable = () =>
  runSql(world.connection, "select run_id from run_queue where project_id = $1 and stopped is null order by run_id", [
    project.id,
  ]);

describe("runs selected by an accepted bulk cancel", () => {
  it("are no longer claimed; others still are", async () => {
    await seedMany(30, { tags: { team: "a" } });
    const other = await seed();
    await order({ tag: "team:a" });
    expect(await claimable()).toEqual([{ run_id: other }]);
    await work();
    expect(await live()).toEqual([other]);
  });

  it("do not start again when the event they wait for arrives", async () => {
    const { event_key } = await waitingRun(world, project, {}, { job_id, tags: { team: "a" } });
    await order({ tag: "team:a" });
    expect((await project.api.post(`/v1/events/${event_key}/send`, {})).status).toBe(200);
    expect(await claimable()).toEqual([]);
    await work();
    expect(await live()).toEqual([]);
  });

  it("become claimable again when the batch operation is canceled or they no longer match", async () => {
    const [first, second] = [await seed({ tags: { team: "a" } }), await seed({ tags: { team: "a" } })];
    const { body } = await order({ tag: "team:a" });
    await project.api.post(`/v1/batch-operations/${body.id}/cancel`);
    expect(await claimable()).toHaveLength(2);
    await order({ tag: "team:a" });
    await runSql(world.connection, `update runs set tags = '{}' where id = $1`, [first]);
    await work();
    expect(await claimable()).toEqual([{ run_id: first }]);
    expect(await statusOf(second)).toBe("canceled");
  });

  it("include children that a running run spawns before the batch reaches it, even if that run completes", async () => {
    const other_job = (await seedJob(world.connection, project.id)).id;
    const { run_id: parent, sdk } = await runningRun(world, project, { job_id, tags: { team: "a" } });
    await order({ tag: "team:a" });
    const { body: spawned } = await sdk.post("/spawn", { job_id: other_job });
    expect((await sdk.post("/complete", { result: {} })).status).toBe(200);
    expect(await claimable()).toEqual([]);
    await work();
    expect([await statusOf(parent), await statusOf(spawned.id)]).toEqual(["completed", "canceled"]);
  });

  it("become claimable again with the children spawned meanwhile when the batch operation is canceled", async () => {
    const { run_id: parent, sdk } = await runningRun(world, project, { job_id, tags: { team: "a" } });
    const { body } = await order({ tag: "team:a" });
    const { body: spawned } = await sdk.post("/spawn", { job_id });
    await project.api.post(`/v1/batch-operations/${body.id}/cancel`);
    expect((await claimable()).map((row) => row.run_id)).toEqual([parent, spawned.id]);
  });
});

describe("POST /v1/runs/bulk-cancel-all", () => {
  it("R10 returns 202 with the batch operation, and cancels every matching run in any live status in the background", async () => {
    const fitting = [];
    for (const status of ["pending", "running", "waiting", "paused"] as const)
      fitting.push(await seed({ status, tags: { team: "a" } }));
    const [ended, other] = [await seed({ status: "completed", tags: { team: "a" } }), await seed()];
    const { status, body } = await order({ tag: "team:a" }, { reason: "closing" });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      kind: "cancel_all",
      status: "pending",
      request: { filter: { tag: "team:a" }, reason: "closing" },
      total: 4,
      processed: 0,
      percent: 0,
      finished_at: null,
    });
    expect(await statusOf(fitting[0] ?? "")).toBe("pending");
    await work();
    expect(await readBatch(body.id)).toMatchObject({
      status: "completed",
      total: 4,
      processed: 4,
      succeeded: 4,
      percent: 100,
    });
    expect(await live()).toEqual([other]);
    expect(await statusOf(ended)).toBe("completed");
    expect((await project.api.get(`/v1/runs/${fitting[1]}`)).body.error).toEqual({
      code: "canceled",
      by_id: project.key_id,
      message: "closing",
    });
  });

  it("R10 accepts the list's filters and the query language", async () => {
    const [a, b, c, d] = [
      await seed({ payload: { user: { id: 42 } }, concurrency_key: "k" }),
      await seed({ payload: { user: { id: 43 } }, tags: { noise: "1" } }),
      await seed({ payload: { user: { id: 43 } } }),
      await seed({ status: "running" }),
    ];
    const fits = async (filter: object) => (await order(filter, { dry_run: true })).body.count;
    expect(await fits({ payload_contains: '{"user":{"id":42}}' })).toBe(1);
    expect(await fits({ concurrency_key: "k" })).toBe(1);
    expect(await fits({ status: "pending" })).toBe(3);
    expect(await fits({ status: "pending,running,failed" })).toBe(4);
    expect(await fits({ job_id })).toBe(4);
    expect(await fits({ q: "payload.user.id:43 -tag:noise" })).toBe(1);
    expect(await fits({ q: "is:live", status: "running" })).toBe(1);
    const { body } = await order({ q: "payload.user.id:43 -tag:noise" });
    await work();
    expect(await readBatch(body.id)).toMatchObject({ total: 1, succeeded: 1 });
    expect(await live()).toEqual([a, b, d]);
    expect(await statusOf(c)).toBe("canceled");
  });

  it("R10 dry_run returns 200 with the count and changes nothing", async () => {
    await seedMany(3);
    await seed({ status: "failed" });
    const response = await order({ job_id }, { dry_run: true });
    expect([response.status, response.body]).toEqual([200, expect.objectContaining({ dry_run: true, count: 3 })]);
    expect(await live()).toHaveLength(3);
    expect((await project.api.get("/v1/batch-operations")).body.data).toEqual([]);
  });

  it.each([
    [{ filter: {} }, "body.filter"],
    [{}, "body.filter"],
    [{ filter: { q: "" } }, "body.filter"],
    [{ filter: { status: "completed" } }, "body.filter"],
    [{ filter: { q: "status:failed" } }, "body.filter"],
    [{ filter: { q: "statu:failed" } }, "body.filter.q"],
    [{ filter: { from: "x" } }, "body.filter.from"],
    [{ filter: { payload_contains: "{" } }, "body.filter.payload_contains"],
    [{ filter: { job: "x" } }, "body.filter.job"],
    [{ filter: { limit: 3 } }, "body.filter.limit"],
  ])("R10 422 for %j: it selects everything or nothing, or is invalid", async (body, location) => {
    const id = await seed();
    const response = await project.api.post("/v1/runs/bulk-cancel-all", body);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
    await work();
    expect(await live()).toEqual([id]);
  });

  it("R10 ignores matching runs created after the call", async () => {
    const before = await seedMany(3);
    const { body } = await order({ job_id });
    await world.clock.pass("1s");
    const [queued, waiting] = [await seed(), await seed({ status: "waiting" })];
    await work();
    expect(await live()).toEqual([queued, waiting]);
    expect(await readBatch(body.id)).toMatchObject({ total: before.length, succeeded: before.length });
  });

  it("R10 skips a run that no longer matches when the batch reaches it", async () => {
    const [first, second] = [await seed({ tags: { a: "1" } }), await seed({ tags: { a: "1" } })];
    const { body } = await order({ tag: "a:1" });
    await project.api.patch(`/v1/runs/${first}`, { tags: { a: "2" } });
    await work();
    expect(await live()).toEqual([first]);
    expect(await statusOf(second)).toBe("canceled");
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", total: 1, processed: 1, succeeded: 1 });
  });

  it("R10 R15 cancels descendants too; metrics count them, but they have no item", async () => {
    const root = await seed({ status: "running", tags: { a: "1" } });
    const child = await seed({ parent_run_id: root });
    await seed({ status: "waiting", parent_run_id: child });
    const names = ["svc_bulk_operations_total", "svc_bulk_items_processed_total", "svc_bulk_child_cancellations_total"];
    const before = await Promise.all(names.map(counter));
    const { body } = await order({ tag: "a" });
    await work();
    expect((await Promise.all(names.map(counter))).map((value, nth) => value - (before[nth] ?? 0))).toEqual([1, 1, 2]);
    expect(await live()).toEqual([]);
    expect(await readBatch(body.id)).toMatchObject({ total: 1, succeeded: 1 });
  });

  it("R10 processes many runs in pages and records one item for each", async () => {
    const ids = await seedMany(330);
    const others = await seedMany(5, { tags: { keep: "1" } });
    const { body } = await order({ q: "-tag:keep" });
    expect(body.total).toBe(330);
    await world.tick("work-on-batches");
    const half = await readBatch(body.id);
    expect(half).toMatchObject({ status: "running", processed: 100, percent: 30 });
    await work();
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", processed: 330, succeeded: 330 });
    expect(await live()).toEqual(others);
    const items = await runSql<{ target_id: string; item_index: number }>(
      world.connection,
      "select target_id, item_index from batch_items where batch_id = $1 order by item_index",
      [body.id],
    );
    expect(items.map((item) => item.target_id)).toEqual(ids);
    expect(items.map((item) => item.item_index)).toEqual(ids.map((_, nth) => nth));
  });

  it("R10 finds the few runs that match among many that do not", async () => {
    await seedMany(2_500, { status: "completed" });
    const waiting = await seed({ status: "waiting" });
    await seedMany(300, { status: "completed" });
    const { body } = await order({ q: "is:live" });
    await work();
    expect(await statusOf(waiting)).toBe("canceled");
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", total: 1 });
  });

  it("R10 completes with no items when nothing matches", async () => {
    const { body } = await order({ tag: "nobody" });
    await work();
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", total: 0, processed: 0, percent: 100 });
  });

  it("A3 a key bound to an environment cancels only in that environment, in the background too", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const [mine, other] = [await seed({ environment_id: staging }), await seed()];
    const { api } = await project.newKey({ environment_id: staging });
    const { body } = await api.post("/v1/runs/bulk-cancel-all", { filter: { job_id } });
    expect(body.total).toBe(1);
    await work();
    expect(await live()).toEqual([other]);
    expect(await statusOf(mine)).toBe("canceled");
    const unbound = await order({ job_id });
    expect((await api.get(`/v1/batch-operations/${unbound.body.id}`)).status).toBe(404);
    expect((await api.get("/v1/batch-operations")).body.data).toHaveLength(1);
  });

  it("A10 skips runs that a policy denies to the batch's creator, in the background too", async () => {
    const [kept, other] = [await seed({ tags: { secret: "1" } }), await seed()];
    const deny = {
      id: newId(),
      effect: "deny",
      actions: ["*"],
      subject: "*",
      tag_key: "secret",
      tag_value: null,
    } as const;
    const policies = [{ ...deny, resource_type: null, resource_id: null }];
    const ctx: ProjectCtx = {
      ...world.callerCtx(),
      project_id: project.id,
      access: { action: "runs:write", isHeld: true, policies },
    };
    const reply = { header: () => {}, status: () => {} };
    expect(await bulkCancelAll(ctx, { filter: { job_id } }, reply)).toMatchObject({ total: 1 });
    await work();
    expect(await live()).toEqual([kept]);
    expect(await statusOf(other)).toBe("canceled");
  });

  it("R10 writes one audit event, with the batch's creator as actor", async () => {
    await seed();
    await order({ job_id }, { reason: "why not" });
    await work();
    const events = await runSql(
      world.connection,
      "select action, actor_id, after from audit_events where project_id = $1 and resource_type in ('run', 'batch_operation')",
      [project.id],
    );
    expect(events).toEqual([
      {
        action: "run.bulk_canceled_all",
        actor_id: project.key_id,
        after: { filter: { job_id }, reason: "why not", total: 1 },
      },
    ]);
  });

  it("A7 requires runs:write", async () => {
    const { api } = await project.newKey({ scopes: ["runs:read"] });
    expect((await api.post("/v1/runs/bulk-cancel-all", { filter: { job_id } })).status).toBe(403);
  });
});
