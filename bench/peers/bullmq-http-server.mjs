import { createHash, timingSafeEqual } from "node:crypto";
import { Queue, Worker } from "bullmq";
import fastify from "fastify";
import { openPost } from "../compare/post.mjs";

// What a user of BullMQ would build to accept jobs over HTTP: a Fastify route with a key check and a body schema, and a
// worker in the same process that calls the endpoint.
const [redisSocket, sinkUrl, key] = process.argv.slice(2);
const IN_FLIGHT = 200;
const connection = { path: redisSocket, maxRetriesPerRequest: null };
const queue = new Queue("orders", { connection, defaultJobOptions: { removeOnComplete: true } });
const sink = openPost(sinkUrl, { connections: IN_FLIGHT });
const hashOf = (text) => createHash("sha256").update(text).digest();
const keyHash = hashOf(key);

const app = fastify({ keepAliveTimeout: 60_000 });
app.addHook("onRequest", async (request, reply) => {
  const [scheme, given = ""] = (request.headers.authorization ?? "").split(" ");
  if (scheme !== "Bearer" || !timingSafeEqual(hashOf(given), keyHash))
    await reply.code(401).send({ error: "unauthorized" });
});
const body = { type: "object", required: ["payload"], properties: { payload: { type: "object" } } };
const response = { 202: { type: "object", properties: { id: { type: "string" } } } };
app.post("/orders", { schema: { body, response } }, async (request, reply) => {
  const job = await queue.add("deliver", request.body.payload);
  reply.code(202);
  return { id: job.id };
});

let worker;
process.on("message", async ({ works }) => {
  if (works === true) {
    worker = new Worker("orders", ({ data }) => sink.post("/", JSON.stringify(data)), {
      connection,
      concurrency: IN_FLIGHT,
    });
    worker.on("error", (error) => process.stderr.write(`${error}\n`));
    await worker.waitUntilReady();
  }
  if (works === false) await worker?.close();
  const { wait, active, prioritized, delayed } = await queue.getJobCounts("wait", "active", "prioritized", "delayed");
  process.send({ unfinished: wait + active + prioritized + delayed });
});
process.on("disconnect", () => process.exit());
await queue.waitUntilReady();
const url = await app.listen({ host: "127.0.0.1", port: 0 });
process.send({ url });
