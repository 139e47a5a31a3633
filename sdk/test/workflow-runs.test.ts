import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineEvent } from "../src/define-event.ts";
import { defineJob } from "../src/define-job.ts";
import { defineWorkflow } from "../src/workflow/define-workflow.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

let sdk: SdkWorld;
const approved = defineEvent({ key: (id: string) => `approve:${id}`, schema: z.object({ by: z.string() }) });
const price = defineJob({
  id: "price",
  schema: z.object({ sku: z.string() }),
  run: ({ sku }) => ({ sku, cents: sku.length * 100 }),
});
const total = defineJob({
  id: "total",
  schema: z.object({ prices: z.array(z.object({ cents: z.number() }).nullable()), by: z.string() }),
  run: ({ prices, by }, ctx) => ({
    cents: prices.reduce((sum, each) => sum + (each?.cents ?? 0), 0),
    by,
    parents: Object.keys(ctx.parentOutputs).toSorted(),
    ref: ctx.run.stepRef,
  }),
});
const order = defineWorkflow("order", { schema: z.object({ id: z.string(), skus: z.array(z.string()) }) })
  .map("prices", price, { items: ({ payload }) => payload.skus, payload: ({ item }) => ({ sku: item }) })
  .waitForEvent("approval", {
    schema: approved.schema,
    after: ["prices"],
    key: ({ payload }) => approved(payload.id).key,
    timeout: "24h",
  })
  .sleep("rest", "30m", { after: ["approval"] })
  .job("total", total, {
    after: ["prices", "approval", "rest"],
    payload: ({ out }) => ({ prices: out.prices, by: out.approval.by }),
  });

beforeAll(async () => {
  sdk = await makeSdkWorld();
  await sdk.host({ jobs: [price, total], workflows: [order], toleranceSecs: 1e9 });
});

describe("a workflow defined in code", () => {
  it("runs maps, waits and sleeps, and returns its outputs by step", async () => {
    const run = await sdk.client.workflows.trigger(order, { id: "o1", skus: ["a", "bb"] }, { tags: ["eu"] });
    await sdk.world.runUntilIdle();
    await sdk.client.events.send(approved("o1"), { by: "ann" });
    await sdk.world.runUntilIdle();
    await sdk.world.clock.pass("31m");
    const [end] = await Promise.all([run.result({ timeout: "60s" }), sdk.world.runUntilIdle()]);
    if (!end.ok) throw new Error(end.error.message);
    const cents: number | undefined = end.output.total?.cents;
    expect(cents).toBe(300);
    expect(end.output).toEqual({
      prices: [
        { sku: "a", cents: 100 },
        { sku: "bb", cents: 200 },
      ],
      approval: { by: "ann" },
      rest: null,
      total: { cents: 300, by: "ann", parents: ["approval", "prices", "rest"], ref: "total" },
    });
    expect(end.run).toMatchObject({ status: "completed", tags: { eu: "true" } });
  });

  it("rejects an invalid payload before it is sent", async () => {
    await expect(sdk.client.workflows.trigger(order, { id: 1 } as never)).rejects.toMatchObject({
      code: "schema_mismatch",
    });
  });

  it("reports a canceled run as such, and unwrap throws", async () => {
    const run = await sdk.client.workflows.trigger(order, { id: "o2", skus: [] });
    await run.cancel({ reason: "no stock" });
    expect(await run.result({ timeout: "20s" })).toMatchObject({ ok: false, status: "canceled" });
    await expect(run.unwrap()).rejects.toMatchObject({ name: "RunFailedError", runId: run.id });
    expect((await run.steps()).map(({ step_ref }) => step_ref).toSorted()).toEqual([
      "approval",
      "prices",
      "rest",
      "total",
    ]);
    const statuses = [];
    for await (const { event, data } of run.stream()) if (event === "status") statuses.push(data.run.status);
    expect(statuses.at(-1)).toBe("canceled");
  });
});
