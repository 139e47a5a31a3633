import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createClient } from "../src/client/create-client.ts";
import { defineJob } from "../src/define-job.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";
import { skipWaits } from "./skip-waits.ts";

let sdk: SdkWorld;
const add = defineJob({
  id: "add",
  schema: z.object({ n: z.number(), text: z.string().optional() }),
  concurrencyKey: ({ n }) => `key-${n % 2}`,
  run: ({ n }) => n + 1,
});

beforeAll(async () => {
  sdk = await makeSdkWorld();
  await sdk.host({ jobs: [add] });
});

describe("triggerBatch", () => {
  it("starts any number of runs in chunks of 100, with a result for each", async () => {
    const items = Array.from({ length: 250 }, (_, n) => ({ payload: { n } }));
    const progress: number[] = [];
    const batch = await sdk.client.jobs.triggerBatch(add, items, { onProgress: (done) => void progress.push(done) });
    expect(batch).toMatchObject({ created: 250, existing: 0, failed: 0 });
    expect(batch.batchIds).toHaveLength(3);
    expect(progress).toEqual([100, 200, 250]);
    expect(batch.results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
    const [, second] = batch.results;
    if (second?.status !== "created") throw new Error("not created");
    expect(await second.run.get()).toMatchObject({
      payload: { n: 1 },
      batch_id: batch.batchIds[0],
      concurrency_key: "key-1",
    });
  });

  it("returns the existing run for an idempotency key of an item, and continues after rejected items", async () => {
    const items = [
      { payload: { n: 1 }, options: { idempotencyKey: "one" } },
      { payload: { n: "two" as never } },
      { payload: { n: 1 }, options: { idempotencyKey: "one" } },
      { payload: { n: 4 }, options: { environment: "nowhere" } },
    ];
    const batch = await sdk.client.jobs.triggerBatch(add, items);
    expect(batch.results.map(({ status }) => status)).toEqual(["created", "failed", "existing", "failed"]);
    expect(batch.results[1]).toMatchObject({ error: { code: "schema_mismatch" } });
    expect(batch.results[3]).toMatchObject({ error: { message: expect.stringMatching(/environment/) } });
  });

  it("keeps chunks below the maximum body size", async () => {
    const items = Array.from({ length: 6 }, (_, n) => ({ payload: { n, text: "x".repeat(150_000) } }));
    const batch = await sdk.client.jobs.triggerBatch(add, items);
    expect(batch).toMatchObject({ created: 6, failed: 0 });
    expect(batch.batchIds.length).toBeGreaterThan(1);
  });

  it("waits when rate limited", async () => {
    let refusals = 1;
    const limited = createClient({
      baseUrl: sdk.world.url,
      apiKey: sdk.project.key,
      fetch: (url, init) => {
        if (refusals-- <= 0) return globalThis.fetch(url, init);
        const body = JSON.stringify({ code: "rate_limited", detail: "At most 30 bulk triggers a minute." });
        const headers = { "retry-after": "7", "content-type": "application/problem+json" };
        return Promise.resolve(new Response(body, { status: 429, headers }));
      },
    });
    const waits = skipWaits(7_000);
    const batch = await limited.jobs.triggerBatch(add, [{ payload: { n: 1 } }]);
    expect([batch.created, waits.length]).toEqual([1, 1]);
  });
});

describe("a run handle", () => {
  it("stops waiting for the result after the timeout, and when the signal is aborted", async () => {
    const run = await sdk.client.jobs.trigger(add, { n: 1 }, { delay: "1h", tags: ["late"], priority: 4 });
    await expect(run.result({ timeout: "1s" })).rejects.toMatchObject({ name: "TimeoutError", code: "timeout" });
    await expect(run.result({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    expect(run.started).toMatchObject({ tags: { late: "true" }, priority: 4 });
    await run.cancel({ reason: "not needed" });
    expect(await run.result({ timeout: "20s" })).toMatchObject({ ok: false, status: "canceled" });
  });

  it("cancels runs by query, after a dry run that counts them", async () => {
    await sdk.client.jobs.trigger(add, { n: 7 }, { delay: "1h", tags: { kind: "doomed" } });
    const filter = { q: "status:pending tag:kind:doomed" };
    expect(await sdk.client.runs.cancelWhere(filter, { dryRun: true })).toMatchObject({ dry_run: true, count: 1 });
    expect(await sdk.client.runs.cancelWhere(filter, { reason: "query" })).toMatchObject({ id: expect.any(String) });
  });
});
