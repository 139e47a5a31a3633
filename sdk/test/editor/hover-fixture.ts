import { createClient, defineEvent, defineJob, defineWorkflow } from "@millrace/sdk";
import { serve } from "@millrace/sdk/node";
import type { TestServer } from "@millrace/sdk/testing";
import { z } from "zod";

// Code as a user writes it. The test reads what an editor shows for its names; nothing here is run.

const client = createClient();
const approved = defineEvent({
  key: (order: { id: string }) => `approve:${order.id}`,
  schema: z.object({ by: z.string() }),
});
const greet = defineJob({ id: "greet", run: (payload: { user: string }) => `hello ${payload.user}` });
const charge = defineJob({
  id: "charge",
  schema: z.object({ amount: z.number(), note: z.string().default("") }),
  run: async (payload, ctx) => {
    const total = await ctx.step("total", () => payload.amount * 2);
    const event = await ctx.waitForEvent(approved({ id: "1" }), { timeout: "1h" });
    const child = await ctx.spawnAndWait(greet, { user: event.by });
    const spawned = await ctx.spawn(greet, { user: event.by });
    await ctx.sleep("1h");
    return { total, by: event.by, child: child.ok, spawned: spawned.id };
  },
});

const order = defineWorkflow("order", { schema: z.object({ id: z.string(), skus: z.array(z.string()) }) })
  .map("prices", charge, { items: ({ payload }) => payload.skus, payload: ({ item }) => ({ amount: item.length }) })
  .waitForEvent("approval", { schema: approved.schema, after: ["prices"], key: ({ payload }) => approved(payload).key })
  .sleep("rest", "30m", { after: ["approval"] })
  .job("total", charge, {
    after: ["prices", "approval"],
    payload: ({ out }) => ({ amount: out.prices.length, note: out.approval.by }),
    emit: ({ output }) => `paid:${output.by}`,
  })
  .approval("sign", { after: ["total"], message: ({ out }) => `Sign ${out.total.total}` });
const outer = defineWorkflow("outer").subWorkflow("inner", order, { payload: () => ({ id: "1", skus: [] }) });

export async function trigger(t: TestServer) {
  const run = await client.jobs.trigger(charge, { amount: 1 });
  const end = await run.result({ timeout: "1m" });
  const output = end.ok ? end.output : undefined;
  const workflowRun = await client.workflows.trigger(order, { id: "1", skus: [] });
  const workflowEnd = await workflowRun.result();
  const outputs = await workflowRun.unwrap();
  const outerRun = await client.workflows.trigger(outer, {});
  const batch = await client.jobs.triggerBatch(charge, [{ payload: { amount: 1 } }]);
  const sent = await client.events.send(approved({ id: "1" }), { by: "ann" });
  const failed = client.runs.list({ status: "failed" });
  const got = await client.runs.get("1");
  const called = await client.call("GET /v1/runs/{runID}", { params: { runID: "1" } });
  const jobs = client.jobs;
  const handler = serve({ jobs: [charge, greet], workflows: [order, outer] });
  const tested = await t.run(charge, { amount: 1 });
  const testedWorkflow = await t.run(order, { id: "1", skus: [] });
  for await (const event of run.stream()) console.log(event);
  return {
    output,
    workflowEnd,
    outputs,
    outerRun,
    batch,
    sent,
    failed,
    got,
    called,
    jobs,
    handler,
    tested,
    testedWorkflow,
  };
}
