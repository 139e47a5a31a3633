import { defineJob, defineWorkflow, NonRetryableError, type StandardSchema } from "@millrace/sdk";
import { startWorker } from "../start-worker.ts";

type Order = { id: string; items: string[]; total: number };
type Undo<Output> = { input: Order; output: Output };

const reserve = defineJob({
  id: "reserve",
  run: async ({ id, items }: Order) => {
    console.log(`${id}: reserved ${items.length} items`);
    return { shelf: "B7" };
  },
});
const release = defineJob({
  id: "release",
  run: async ({ input, output }: Undo<{ shelf: string }>) => console.log(`${input.id}: released shelf ${output.shelf}`),
});
const charge = defineJob({
  id: "charge",
  run: async ({ id, total }: Order) => {
    console.log(`${id}: charged ${total}`);
    return { receipt: `r-${id}` };
  },
});
const refund = defineJob({
  id: "refund",
  run: async ({ input, output }: Undo<{ receipt: string }>) => console.log(`${input.id}: refunded ${output.receipt}`),
});
const ship = defineJob({
  id: "ship",
  run: async ({ id, items }: Order) => {
    if (items.includes("piano")) throw new NonRetryableError("No van is large enough.");
    console.log(`${id}: shipped`);
    return { parcel: `p-${id}` };
  },
});

/** Only types the payload; the service validates nothing here. */
const anOrder: StandardSchema<Order, Order> = {
  "~standard": { version: 1, vendor: "example", validate: (value) => ({ value: value as Order }) },
};

// Completed steps are undone in reverse order when a later step fails.
const saga = defineWorkflow("order-saga", { schema: anOrder })
  .job("reserve", reserve, { compensate: release })
  .approval("approve", { after: ["reserve"], condition: "payload.total > 1000", timeout: "24h" })
  .job("charge", charge, { after: ["approve"], compensate: refund })
  .job("ship", ship, { after: ["charge"] });

const { client, stop } = await startWorker([reserve, release, charge, refund, ship], [saga]);

async function order(payload: Order, decide?: "approveStep" | "rejectStep"): Promise<void> {
  const run = await client.workflows.trigger(saga, payload);
  if (decide) {
    while (!(await run.steps()).some(({ step_ref, status }) => step_ref === "approve" && status === "waiting")) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    console.log(`${payload.id}: waiting for approval`);
    await client.workflowRuns[decide](run.id, "approve", { comment: "by the example" });
  }
  const end = await run.result();
  console.log(`${payload.id}: ${end.status}${end.ok ? "" : ` (${end.error.message.split(":")[0]})`}`);
}

await order({ id: "A1", items: ["book"], total: 20 });
await order({ id: "A2", items: ["boat"], total: 9_000 }, "approveStep");
await order({ id: "A3", items: ["yacht"], total: 90_000 }, "rejectStep");
await order({ id: "A4", items: ["piano"], total: 900 });
stop();
