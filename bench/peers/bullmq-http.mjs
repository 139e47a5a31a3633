import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Queue } from "bullmq";
import { openPost } from "../compare/post.mjs";
import { enqueueInBulk } from "../compare/steps.mjs";
import { startRedis } from "./start-redis.mjs";
import { versionOf } from "./version-of.mjs";

const KEY = "sk_a-key-of-forty-characters-for-the-bench";

/** BullMQ as a service: behind a Fastify route with a key check, called by the load generator in another process. */
export async function open({ sinkUrl }) {
  const redis = await startRedis();
  const child = fork(join(import.meta.dirname, "bullmq-http-server.mjs"), [redis.socket, sinkUrl, KEY]);
  const [{ url }] = await once(child, "message");
  const { post, close } = openPost(url, { connections: 128, headers: { authorization: `Bearer ${KEY}` } });
  const queue = new Queue("orders", {
    connection: { path: redis.socket },
    defaultJobOptions: { removeOnComplete: true },
  });
  const ask = async (question) => {
    child.send(question);
    const [answer] = await once(child, "message");
    return answer.unfinished;
  };
  const system = {
    version: `${versionOf("bullmq")} behind Fastify ${versionOf("fastify")}, Redis ${redis.version}`,
    pids: { service: child.pid, redis: redis.pid },
    enqueue: (payload) => post("/orders", JSON.stringify({ payload })),
    bulkSize: 1_000,
    bulk: (orders) => queue.addBulk(orders.map((data) => ({ name: "deliver", data }))),
    fill: (n) => enqueueInBulk(system, n),
    startWork: () => ask({ works: true }),
    stopWork: () => ask({ works: false }),
    countUnfinished: () => ask({}),
    close: async () => {
      await close();
      await queue.close();
      child.disconnect();
      await redis.stop();
    },
  };
  return system;
}
