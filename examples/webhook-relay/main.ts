import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { defineJob, SignatureError, verifyWebhook } from "@millrace/sdk";
import { startWorker } from "../start-worker.ts";

const secret = process.env.MILLRACE_SIGNING_SECRET ?? "";
let partnerIsAwake = false;

const pay = defineJob({ id: "pay", run: async ({ order }: { order: string }) => ({ order, paid: true }) });

/** Forwards a payment to a partner that is not always available. Retried until it succeeds, and delivered once. */
const relay = defineJob({
  id: "relay",
  retry: { delays: ["1s"] },
  run: async ({ order }: { order: string }) => {
    if (!partnerIsAwake) {
      partnerIsAwake = true;
      console.log("partner: asleep");
      throw new Error("The partner does not respond.");
    }
    console.log(`partner: ${order} was paid`);
    return { delivered: order };
  },
});

const { client, stop } = await startWorker([pay, relay]);

/** Receives the service's signed webhooks. The webhook id makes the relay idempotent. */
const receiver = createServer((request, response) => void receive(request, response));

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await verifyWebhook<{ job_slug: string; result: { order: string } }>(
      Buffer.concat(chunks),
      request.headers,
      secret,
    );
    await client.jobs.trigger(relay, { order: event.data.result.order }, { idempotencyKey: event.id });
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof SignatureError ? 401 : 500).end();
  }
}
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

const paid = await client.jobs.get("pay");
await client.webhookSubscriptions.create({
  url,
  events: ["run.completed"],
  filter: `event.data.job_id == "${paid.id}"`,
});

const forged = await fetch(url, { method: "POST", body: '{"type":"run.completed"}' });
console.log(`a forged webhook: ${forged.status}`);

await (await client.jobs.trigger(pay, { order: "A1" })).unwrap();
for (;;) {
  const [relayed] = await client.runs.list({ q: "job:relay status:completed" }).all();
  if (relayed) {
    console.log(`relayed after ${relayed.attempt} attempts: ${JSON.stringify(relayed.result)}`);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
receiver.close();
receiver.closeAllConnections();
stop();
