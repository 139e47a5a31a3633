import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seedBatch } from "../../../test/seed/seed-batch.ts";
import { seedJob, seedRuns } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
});

const seed = (batch: Parameters<typeof seedBatch>[2] = {}) => seedBatch(world.connection, project.id, batch);
const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

describe("GET /v1/batch-operations", () => {
  it("lists those of one environment on request, with those that are bound to none", async () => {
    const environments: { id: string; slug: string }[] = (await project.api.get("/v1/environments")).body.data;
    const [staging, production, unbound] = [await seed(), await seed(), await seed()];
    for (const [id, slug] of Object.entries({ [staging]: "staging", [production]: "production" }))
      await runSql(world.connection, "update batch_operations set environment_id = $2 where id = $1", [
        id,
        environments.find((environment) => environment.slug === slug)?.id,
      ]);
    const { body } = await project.api.get("/v1/batch-operations?environment_id=staging");
    expect(idsOf(body)).toEqual([unbound, staging]);
  });

  it("R11 lists the newest first, in pages, with their progress", async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth++) {
      ids.unshift(await seed({ total: 10, failed: nth }));
      await world.clock.pass("1s");
    }
    const first = (await project.api.get("/v1/batch-operations?limit=3")).body;
    expect(first).toMatchObject({ has_more: true });
    expect(first.data[0]).toMatchObject({
      kind: "trigger",
      status: "running",
      total: 10,
      processed: 4,
      failed: 4,
      percent: 40,
    });
    const second = (await project.api.get(`/v1/batch-operations?limit=3&cursor=${first.next_cursor}`)).body;
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
  });

  it("R11 filters by status and kind", async () => {
    const done_batch = { kind: "replay", status: "completed", total: 1 } as const;
    const [running, done] = [await seed({ kind: "cancel" }), await seed(done_batch)];
    await seed({ kind: "replay", status: "canceled" });
    const list = async (query: string) => idsOf((await project.api.get(`/v1/batch-operations?${query}`)).body);
    expect(await list("status=running")).toEqual([running]);
    expect(await list("status=completed,failed")).toEqual([done]);
    expect(await list("kind=replay&status=completed")).toEqual([done]);
    expect(await list("kind=webhook_retry")).toEqual([]);
    expect((await project.api.get("/v1/batch-operations?kind=x")).body.errors[0].location).toBe("query.kind");
    expect((await project.api.get("/v1/batch-operations?status=done")).status).toBe(422);
  });
});

describe("GET /v1/batch-operations/{batchOperationID}", () => {
  it("R11 returns one, and 404 for one of another project", async () => {
    const id = await seed({ status: "completed", total: 1 });
    expect((await project.api.get(`/v1/batch-operations/${id}`)).body).toMatchObject({
      id,
      project_id: project.id,
      percent: 100,
      finished_at: expect.stringMatching(/Z$/),
    });
    const { api } = await world.project();
    expect((await api.get(`/v1/batch-operations/${id}`)).status).toBe(404);
    expect((await project.api.get(`/v1/batch-operations/${newId()}`)).status).toBe(404);
  });
});

describe("GET /v1/batch-operations/{batchOperationID}/items", () => {
  it("A7 omits runs that a policy hides from the caller", async () => {
    const body = { name: "Job", endpoint_url: "https://example.com/" };
    const { id: job } = (await project.api.post("/v1/jobs", body)).body;
    const items = [{ delay_secs: 60 }, { delay_secs: 60, tags: { team: "payments" } }];
    const { results } = (await project.api.post(`/v1/jobs/${job}/trigger/bulk`, { items })).body;
    const run_ids = results.map(({ run_id }: { run_id: string }) => run_id);
    const { batch_id } = (await project.api.post("/v1/runs/bulk-cancel", { run_ids })).body;
    const key = await project.newKey();
    const subject = `api_key:${key.id}`;
    await project.api.post("/v1/tag-policies", { effect: "deny", actions: ["runs:read"], subject, tag_key: "team" });
    for (const id of [batch_id, (await triggerBatch()).id]) {
      const path = `/v1/batch-operations/${id}/items`;
      const [all, left] = [(await project.api.get(path)).body.data, (await key.api.get(path)).body.data];
      expect([all.length, left.length]).toEqual([2, 1]);
      expect(JSON.stringify(left)).not.toContain(run_ids[1]);
    }
  });
  const triggerBatch = async () =>
    (await project.api.get("/v1/batch-operations?kind=trigger")).body.data[0] as { id: string };

  it("R11 lists items by number, in pages and in either order, with the error of each", async () => {
    const id = await seed({ total: 25, failed: 25 });
    const at = `/v1/batch-operations/${id}/items`;
    const first = (await project.api.get(`${at}?limit=20`)).body;
    expect(first.data[3]).toEqual(
      expect.objectContaining({
        batch_id: id,
        index: 3,
        target_id: id,
        status: "failed",
        error: { code: "failed", message: "seeded" },
        detail: null,
      }),
    );
    const second = (await project.api.get(`${at}?limit=20&cursor=${first.next_cursor}`)).body;
    expect(second.has_more).toBe(false);
    const numbers = [...first.data, ...second.data].map(({ index }) => index);
    expect(numbers).toEqual(Array.from({ length: 25 }, (_, nth) => nth));
    const last = (await project.api.get(`${at}?limit=2&order=desc`)).body;
    expect(last.data.map(({ index }: { index: number }) => index)).toEqual([24, 23]);
    const before = (await project.api.get(`${at}?limit=2&order=desc&cursor=${last.next_cursor}`)).body;
    expect(before.data.map(({ index }: { index: number }) => index)).toEqual([22, 21]);
  });

  it("R11 filters by status", async () => {
    const job = await seedJob(world.connection, project.id);
    const run_ids = await seedRuns(
      world.connection,
      project.id,
      Array.from({ length: 4 }, (_, nth) => ({
        job_id: job.id,
        status: nth % 2 ? ("failed" as const) : ("pending" as const),
      })),
    );
    const { body } = await project.api.post("/v1/runs/bulk-cancel", { run_ids });
    const list = async (status: string) =>
      (await project.api.get(`/v1/batch-operations/${body.batch_id}/items?status=${status}`)).body.data.map(
        ({ target_id }: { target_id: string }) => target_id,
      );
    expect(await list("succeeded")).toEqual([run_ids[0], run_ids[2]]);
    expect(await list("failed")).toEqual([run_ids[1], run_ids[3]]);
    expect(await list("failed,skipped,succeeded")).toEqual(run_ids);
  });
});

describe("POST /v1/batch-operations/{batchOperationID}/cancel", () => {
  it("R11 cancels an open one, keeps its counts, and is audited", async () => {
    const id = await seed({ total: 9, failed: 2 });
    const { status, body } = await project.api.post(`/v1/batch-operations/${id}/cancel`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "canceled", processed: 2, total: 9, finished_at: expect.any(String) });
    const events = await runSql(world.connection, "select action, after from audit_events where resource_id = $1", [
      id,
    ]);
    expect(events).toEqual([
      { action: "batch_operation.canceled", after: { kind: "trigger", processed: 2, total: 9 } },
    ]);
  });

  it.each(["completed", "failed"])("R11 409 for one that is %s", async (status) => {
    const id = await seed({ status, total: 1 });
    const response = await project.api.post(`/v1/batch-operations/${id}/cancel`);
    expect([response.status, response.body.code]).toEqual([409, "batch_operation_ended"]);
    expect(response.body.detail).toContain(status);
  });

  it("R11 takes effect once for concurrent requests, which all return the operation", async () => {
    const id = await seed();
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => project.api.post(`/v1/batch-operations/${id}/cancel`)),
    );
    expect(responses.map((response) => [response.status, response.body.status])).toEqual(
      Array(5).fill([200, "canceled"]),
    );
    const events = await runSql(world.connection, "select 1 from audit_events where resource_id = $1", [id]);
    expect(events).toHaveLength(1);
  });
});

describe("retention of batch operations", () => {
  it("R11 deletes batch operations with their items past RUN_RETENTION in batches, and no open one", async () => {
    const long_ago = "2020-01-01T00:00:00Z";
    const old = await seed({ status: "completed", total: 2_500, failed: 2_500, created_at: long_ago });
    const open = await seed({ created_at: long_ago });
    const young = await seed({ status: "completed", total: 1 });
    const items = async () =>
      (await runSql(world.connection, "select count(*)::int as count from batch_items where batch_id = $1", [old]))[0];
    expect(await world.tick("remove-old-rows")).toBe(true);
    expect(await items()).toEqual({ count: 1_500 });
    while (await world.tick("remove-old-rows"));
    expect(await items()).toEqual({ count: 0 });
    expect(idsOf((await project.api.get("/v1/batch-operations")).body).toSorted()).toEqual([open, young].toSorted());
  });
});
