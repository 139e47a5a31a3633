import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun, seedRuns } from "../../../../test/seed/seed-run.ts";
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

const DEAD = { status: "failed", is_dead_letter: true } as const;
const seed = (run: SeedRun = {}) => seedRun(world.connection, project.id, { job_id, ...DEAD, ...run });
const order = (body: object) => project.api.post("/v1/runs/bulk-dlq-replay", body);
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;
const readBatch = async (id: string) => (await project.api.get(`/v1/batch-operations/${id}`)).body;
const itemsOf = async (id: string) => (await project.api.get(`/v1/batch-operations/${id}/items?limit=100`)).body.data;
const deadLetters = async () =>
  (await project.api.get("/v1/runs?dead_letter=true&limit=100")).body.data.map(({ id }: { id: string }) => id);

async function work(): Promise<void> {
  while (await world.tick("work-on-batches"));
}

describe("POST /v1/runs/bulk-dlq-replay", () => {
  it("R10 by id: returns 202 with the batch operation, then creates a new run for each, linked both ways", async () => {
    const [first, second] = [await seed({ payload: { n: 1 } }), await seed({ status: "timed_out" })];
    const { status, body } = await order({ run_ids: [first, second] });
    expect([status, body]).toEqual([
      202,
      expect.objectContaining({
        kind: "dlq_replay",
        status: "pending",
        total: 2,
        request: { run_ids: [first, second] },
      }),
    ]);
    await work();
    expect(await readBatch(body.id)).toMatchObject({
      status: "completed",
      processed: 2,
      created_by_id: project.key_id,
    });
    const [item] = await itemsOf(body.id);
    expect(item).toMatchObject({ index: 0, target_id: first, status: "succeeded" });
    expect(await readRun(item.detail.replayed_as)).toMatchObject({
      replay_of: first,
      batch_id: body.id,
      payload: { n: 1 },
      created_by: "test key",
      created_by_id: project.key_id,
    });
    expect(await readRun(first)).toMatchObject({ replayed_by: item.detail.replayed_as, dead_lettered_at: null });
    expect(await deadLetters()).toEqual([]);
  });

  it("R10 by id: a run that is not dead-lettered fails alone, with its reason", async () => {
    const [good, plain, foreign] = [
      await seed(),
      await seed({ is_dead_letter: false }),
      await seedRun(world.connection, (await world.project()).id, DEAD),
    ];
    const { body } = await order({ run_ids: [plain, good, foreign, newId()] });
    await work();
    const items = await itemsOf(body.id);
    expect(
      items.map(({ status, error }: { status: string; error: { code: string } | null }) => [status, error?.code]),
    ).toEqual([
      ["failed", "not_dead_lettered"],
      ["succeeded", undefined],
      ["failed", "not_found"],
      ["failed", "not_found"],
    ]);
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", succeeded: 1, failed: 3 });
  });

  it("R10 by filter: matches job, error text in any case, and creation time", async () => {
    const other = await seedJob(world.connection, project.id, { slug: "other" });
    const refused = { code: "http_error", message: "Connection REFUSED by host" };
    const [a, b, c, d] = [
      await seed({ error: refused, created_at: "2026-01-01T00:00:00Z" }),
      await seed({ error: { code: "timeout", message: "too slow" }, created_at: "2026-01-02T00:00:00Z" }),
      await seed({ error: refused, job_id: other.id, created_at: "2026-01-03T00:00:00Z" }),
      await seed({ error: refused, created_at: "2026-01-04T00:00:00Z" }),
    ];
    const replayed = async (filter: object) => {
      const { body } = await order({ filter });
      await work();
      return (await itemsOf(body.id)).map(({ target_id }: { target_id: string }) => target_id);
    };
    expect(await replayed({ error_contains: "refused", job_id: "other" })).toEqual([c]);
    expect(await replayed({ error_contains: "TimeOut" })).toEqual([b]);
    expect(await replayed({ from: "2026-01-03T00:00:00Z" })).toEqual([d]);
    expect(await replayed({ to: "2026-01-01T00:00:00Z" })).toEqual([]);
    expect(await replayed({})).toEqual([a]);
    expect(await deadLetters()).toEqual([]);
  });

  it("R10 by filter: applies the limit, oldest first", async () => {
    const ids = await seedRuns(
      world.connection,
      project.id,
      Array.from({ length: 130 }, () => ({ job_id, ...DEAD })),
    );
    const { body } = await order({ filter: {}, limit: 120 });
    expect(body.total).toBe(120);
    await work();
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", total: 120, succeeded: 120 });
    expect((await deadLetters()).toSorted()).toEqual(ids.slice(120).toSorted());
  });

  it("R10 by filter: a run that cannot be replayed stays dead-lettered, and the batch continues", async () => {
    const strict = await seedJob(world.connection, project.id, { payload_schema: { required: ["x"], type: "object" } });
    const [bad, good] = [await seed({ job_id: strict.id }), await seed()];
    const { body } = await order({ filter: {} });
    await work();
    expect(await readBatch(body.id)).toMatchObject({ status: "completed", total: 2, succeeded: 1, failed: 1 });
    expect((await itemsOf(body.id))[0]).toMatchObject({ target_id: bad, error: { code: "payload_invalid" } });
    expect(await deadLetters()).toEqual([bad]);
    expect((await readRun(good)).replayed_by).not.toBeNull();
  });

  it("R10 ignores runs created and dead-lettered after the call", async () => {
    const before = await seed();
    const { body } = await order({ filter: {} });
    await world.clock.pass("1s");
    const after = await seed();
    await work();
    expect(await readBatch(body.id)).toMatchObject({ total: 1, succeeded: 1 });
    expect(await deadLetters()).toEqual([after]);
    expect((await readRun(before)).replayed_by).not.toBeNull();
  });

  it.each([
    [{}, "body"],
    [{ run_ids: [] }, "body.run_ids"],
    [{ run_ids: [newId()], filter: {} }, "body.filter"],
    [{ run_ids: [newId()], limit: 1 }, "body.limit"],
    [{ filter: { status: "failed" } }, "body.filter.status"],
    [{ filter: {}, limit: 0 }, "body.limit"],
    [{ filter: { from: "yesterday" } }, "body.filter.from"],
  ])("R10 422 for %j", async (body, location) => {
    const response = await order(body);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });
});
