import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

type Job = { id: string; version_id: string };
type Item = {
  index: number;
  run_id: string | null;
  status: string;
  error: { code: string; message: string; errors: { location: string }[] };
};

async function makeJob(fields: object = {}): Promise<Job> {
  const response = await project.api.post("/v1/jobs", {
    name: "Job",
    endpoint_url: "http://127.0.0.1:1025/",
    ...fields,
  });
  if (response.status !== 201) throw new Error(response.text);
  return response.body;
}
const bulk = ({ id }: { id: string }, items: unknown[], api = project.api) =>
  api.post(`/v1/jobs/${id}/trigger/bulk`, { items });
const countRuns = async ({ id }: Job) =>
  (await runSql(world.connection, "select 1 from runs where job_id = $1", [id])).length;
const readRun = async (id: string | null | undefined) => (await project.api.get(`/v1/runs/${id}`)).body;
const statuses = (response: { body: { results: Item[] } }) => response.body.results.map(({ status }) => status);

async function batchOf(batch_id: string) {
  const [batch] = await runSql(world.connection, "select * from batch_operations where id = $1", [batch_id]);
  const items = await runSql(
    world.connection,
    "select item_index, target_id, status, error from batch_items where batch_id = $1 order by item_index",
    [batch_id],
  );
  return { batch, items };
}

describe("POST /v1/jobs/{jobID}/trigger/bulk", () => {
  it.each([
    ["alone", {}],
    ["next to an item with a key", { concurrency_key: "c" }],
  ])("gives each run its exact payload with special characters, %s", async (_, more) => {
    const payloads = ["a\u001eb", { "\u001e": ["\u001e", '\\"\\\\', "{x,y}", "ü\u2028"] }, [], 0, false];
    const { body } = await bulk(await makeJob(), [
      ...payloads.map((payload) => ({ payload })),
      { payload: {}, ...more },
    ]);
    const runs = await Promise.all(body.results.map(({ run_id }: Item) => readRun(run_id)));
    expect(runs.map((run) => run.payload)).toEqual([...payloads, {}]);
  });

  it("R8 starts a run for each item, in order, each with its payload, priority, key and tags", async () => {
    const job = await makeJob({ tags: { team: "a" }, default_run_metadata: { m: 1 } });
    const requested = [
      { payload: { n: 0 }, priority: 5, idempotency_key: "k0", tags: { eu: "true" } },
      { payload: "text", tags: ["vip"], metadata: { m: 2 }, concurrency_key: "c", timeout_secs: 5, max_attempts: 2 },
      { scheduled_at: "2031-01-01T00:00:00.000Z", environment_id: "staging" },
    ];
    const { status, body } = await bulk(job, requested);
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/BulkTriggerResult.json`,
      batch_id: expect.any(String),
      results: requested.map((_, index) => ({ index, run_id: expect.any(String), status: "created", error: null })),
    });
    const runs = await Promise.all(body.results.map(({ run_id }: Item) => readRun(run_id)));
    for (const run of runs) {
      expect(run).toMatchObject({
        batch_id: body.batch_id,
        job_version_id: job.version_id,
        created_by_id: project.key_id,
      });
    }
    expect(runs[0]).toMatchObject({
      payload: { n: 0 },
      priority: 5,
      idempotency_key: "k0",
      tags: { team: "a", eu: "true" },
    });
    expect(runs[1]).toMatchObject({ ...requested[1], tags: { team: "a", vip: "true" } });
    expect(runs[2]).toMatchObject({ scheduled_at: "2031-01-01T00:00:00.000Z", metadata: { m: 1 } });
  });

  it("R8 accepts up to 100, and dispatches every one", async () => {
    const endpoint = await jobEndpoint();
    const job = await makeJob({ endpoint_url: endpoint.url });
    const { body } = await bulk(
      job,
      Array.from({ length: 100 }, (_, n) => ({ payload: n })),
    );
    expect(new Set(body.results.map(({ run_id }: Item) => run_id)).size).toBe(100);
    await world.runUntilIdle();
    const payloads = endpoint.dispatches.map((dispatch) => dispatch.body.payload);
    expect(payloads.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    const listed = await project.api.get(`/v1/runs?batch_id=${body.batch_id}&status=completed&limit=100`);
    expect(listed.body.data).toHaveLength(100);
  });

  it("R8 fails a bad item alone, with its code and location", async () => {
    const job = await makeJob({ payload_schema: { type: "object", properties: { n: { type: "integer" } } } });
    const response = await bulk(job, [
      { payload: { n: 1 } },
      { payload: { n: "x" } },
      { environment_id: "nowhere" },
      { scheduled_at: "2031-01-01T00:00:00Z", delay_secs: 5 },
      { parent_run_id: newId() },
      { scheduled_at: "0000-01-01T00:00:00Z" },
      { payload: { n: 2 } },
    ]);
    expect([response.status, statuses(response)]).toEqual([
      200,
      ["created", "failed", "failed", "failed", "failed", "failed", "created"],
    ]);
    const failed = (response.body.results as Item[]).filter(({ status }) => status === "failed");
    expect(failed.map(({ run_id, error }) => [run_id, error.code, error.errors[0]?.location])).toEqual([
      [null, "payload_invalid", "body.items[1].payload.n"],
      [null, "validation_failed", "body.items[2].environment_id"],
      [null, "validation_failed", "body.items[3].delay_secs"],
      [null, "validation_failed", "body.items[4].parent_run_id"],
      [null, "validation_failed", "body.items[5].scheduled_at"],
    ]);
    const noted = await project.api.get(`/v1/batch-operations/${response.body.batch_id}/items?status=failed`);
    expect(noted.body.data.map(({ error }: Item) => [error.code, error.message])).toEqual(
      failed.map(({ error }) => [error.code, error.message]),
    );
    expect(await countRuns(job)).toBe(2);
  });

  it("R8 creates one run for equal idempotency keys in a batch; a different body under the same key is a failed item", async () => {
    const job = await makeJob();
    const item = { payload: 1, idempotency_key: "k" };
    const response = await bulk(job, [item, item, { ...item, payload: 2 }, { payload: 1 }]);
    expect(statuses(response)).toEqual(["created", "existing", "failed", "created"]);
    const [first, second, third] = response.body.results as Item[];
    expect(second?.run_id).toBe(first?.run_id);
    expect(third?.error.code).toBe("idempotency_conflict");
    expect(await countRuns(job)).toBe(2);
  });

  it("R8 starts nothing new when resent with its keys, and shares the key space with single triggers", async () => {
    const job = await makeJob();
    const items = Array.from({ length: 20 }, (_, n) => ({ payload: n, idempotency_key: `k${n}` }));
    const single = await project.api.post(`/v1/jobs/${job.id}/trigger`, items[0]);
    const [first, again] = [await bulk(job, items), await bulk(job, items)];
    expect(statuses(first)).toEqual(["existing", ...Array(19).fill("created")]);
    expect(statuses(again)).toEqual(Array(20).fill("existing"));
    const ids = (response: typeof first) => response.body.results.map(({ run_id }: Item) => run_id);
    expect([ids(again), ids(first)[0]]).toEqual([ids(first), single.body.id]);
    expect((await readRun(ids(first)[1])).batch_id).toBe(first.body.batch_id);
    expect(await countRuns(job)).toBe(20);
  });

  it("R8 starts each run once when sent ten times concurrently", async () => {
    const job = await makeJob();
    const items = Array.from({ length: 50 }, (_, n) => ({ payload: n, idempotency_key: `k${n}` }));
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) => bulk(job, n % 2 ? items : items.toReversed())),
    );
    expect(responses.flatMap(statuses).filter((status) => status === "created")).toHaveLength(50);
    expect(responses.flatMap(statuses)).not.toContain("failed");
    expect(await countRuns(job)).toBe(50);
  });

  it("R10 is a finished batch operation, with the result of each item", async () => {
    const job = await makeJob();
    const { body } = await bulk(job, [
      { idempotency_key: "k" },
      { environment_id: "nowhere" },
      { idempotency_key: "k" },
    ]);
    const { batch, items } = await batchOf(body.batch_id);
    expect(batch).toMatchObject({
      project_id: project.id,
      kind: "trigger",
      status: "completed",
      total: 3,
      processed: 3,
      succeeded: 2,
      failed: 1,
      skipped: 0,
      created_by: "test key",
      created_by_id: project.key_id,
      finished_at: expect.any(Date),
    });
    const [created] = body.results as Item[];
    expect(items).toEqual([
      { item_index: 0, target_id: created?.run_id, status: "succeeded", error: null },
      { item_index: 1, target_id: null, status: "failed", error: expect.stringContaining("environment") },
      { item_index: 2, target_id: created?.run_id, status: "succeeded", error: null },
    ]);
  });

  it("R8 deduplicates as single triggers do", async () => {
    const dedup = await bulk(await makeJob({ dedup_window_secs: 60 }), [
      { payload: 1 },
      { payload: 1 },
      { payload: 2 },
    ]);
    expect(statuses(dedup)).toEqual(["created", "existing", "created"]);
    const debounced = await bulk(await makeJob({ debounce_window_secs: 60 }), [{ payload: 1 }, { payload: 2 }]);
    expect(statuses(debounced)).toEqual(["created", "existing"]);
    expect((await readRun(debounced.body.results[0].run_id)).payload).toBe(2);
  });

  it.each<[string, unknown, string]>([
    ["no items", { items: [] }, "body.items"],
    ["101 items", { items: Array.from({ length: 101 }, () => ({})) }, "body.items"],
    ["items missing", {}, "body.items"],
    ["an unknown field", { items: [{}], dry_run: true }, "body.dry_run"],
    ["an unknown field of an item", { items: [{}, { paylod: 1 }] }, "body.items[1].paylod"],
    ["an item that is not an object", { items: [{}, 5] }, "body.items[1]"],
    ["a priority too high", { items: [{ priority: 101 }] }, "body.items[0].priority"],
  ])("R8 422 for %s, and nothing is started", async (_, body, location) => {
    const job = await makeJob();
    const response = await project.api.post(`/v1/jobs/${job.id}/trigger/bulk`, body);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
    expect(await countRuns(job)).toBe(0);
  });

  it("R8 fails each item for a disabled job; 404 for an unknown one", async () => {
    const disabled = await bulk(await makeJob({ enabled: false }), [{}, {}]);
    expect([disabled.status, statuses(disabled)]).toEqual([200, ["failed", "failed"]]);
    expect(disabled.body.results[0].error.code).toBe("job_disabled");
    expect((await bulk({ id: newId() }, [{}])).status).toBe(404);
    const foreign = await world.project();
    expect((await bulk(await makeJob(), [{}], foreign.api)).status).toBe(404);
  });

  it("R8 runs in the environment of a bound key, and rejects other environments per item", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const { api } = await project.newKey({ environment_id: staging });
    const response = await bulk(await makeJob(), [{}, { environment_id: "production" }], api);
    expect(statuses(response)).toEqual(["created", "failed"]);
    expect((await readRun(response.body.results[0].run_id)).environment_id).toBe(staging);
  });

  it("R8 gives every run a single version while the job is being changed, and completes every batch", async () => {
    const job = await makeJob();
    const changing = (async () => {
      for (let n = 1; n <= 8; n++) await project.api.patch(`/v1/jobs/${job.id}`, { timeout_secs: n });
    })();
    const responses = await Promise.all(Array.from({ length: 8 }, () => bulk(job, Array(20).fill({}))));
    await changing;
    for (const response of responses.filter(({ status }) => status === 200)) {
      const rows = await runSql(world.connection, "select distinct job_version_id from runs where batch_id = $1", [
        response.body.batch_id,
      ]);
      expect([statuses(response), rows.length]).toEqual([Array(20).fill("created"), 1]);
    }
    const done = responses.filter(({ status }) => status === 200).length;
    expect(responses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(await countRuns(job)).toBe(done * 20);
    const open = await runSql(world.connection, "select 1 from batch_operations where status = 'running'");
    expect(open).toEqual([]);
  });

  it("R8 counts one operation, and its items, in the metrics", async () => {
    const read = async (name: string) =>
      (await world.ctx.metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
    const before = [await read("svc_bulk_operations_total"), await read("svc_bulk_items_processed_total")];
    await bulk(await makeJob(), [{}, { environment_id: "nowhere" }, {}]);
    const after = [await read("svc_bulk_operations_total"), await read("svc_bulk_items_processed_total")];
    expect(after.map((value, index) => value - (before[index] ?? 0))).toEqual([1, 3]);
  });

  it("O4 has its own limit per address", async () => {
    const limited = await makeFlowWorld({ config: { rate_limits: { api: 0, trigger: 0, bulk_trigger: 2 } } });
    const { api } = await limited.project();
    const job = (await api.post("/v1/jobs", { name: "Job", endpoint_url: "http://127.0.0.1:1025/" })).body;
    const responses = [await bulk(job, [{}], api), await bulk(job, [{}], api), await bulk(job, [{}], api)];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect((await api.post(`/v1/jobs/${job.id}/trigger`)).status).toBe(201);
  });
});
